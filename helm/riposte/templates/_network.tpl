{{/* Who may reach which port, where the cluster's network enforces it. */}}

{{- define "riposte.object.networkPolicy" -}}
{{- if .Values.networkPolicy.enabled -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "riposte.metadata" (dict "root" . "name" (include "riposte.fullname" .) "component" "server") | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "riposte.selector" (dict "root" . "component" "server") | nindent 6 }}
  policyTypes: {{ ternary (list "Ingress" "Egress") (list "Ingress") (not (empty .Values.networkPolicy.egress)) | toJson }}
  {{- $callers := .Values.networkPolicy.callers }}
  {{- if .Values.test.objectType }}
  {{- $test := include "riposte.selector" (dict "root" . "component" "test") | fromYaml }}
  {{- $callers = append $callers (dict "podSelector" (dict "matchLabels" $test)) }}
  {{- end }}
  {{- $rules := list }}
  {{- range $port, $peers := dict "grpc" $callers "grpc-admin" .Values.networkPolicy.admins "http-metrics" .Values.networkPolicy.scrapers }}
  {{- if $peers }}
  {{- $ports := list (dict "port" $port "protocol" "TCP") }}
  {{- if eq $.Values.mesh.type "linkerd" }}
  {{- /* Linkerd's proxies speak to each other here, and judge by the port that is meant. */}}
  {{- $ports = append $ports (dict "port" 4143 "protocol" "TCP") }}
  {{- end }}
  {{- $rules = append $rules (dict "from" $peers "ports" $ports) }}
  {{- end }}
  {{- end }}
  {{- /* The API server keeps no empty list, so one would be a change each time it is applied. */}}
  {{- with $rules }}
  ingress: {{ toJson . }}
  {{- end }}
  {{- with .Values.networkPolicy.egress }}
  egress:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
{{- end -}}

{{- define "riposte.object.migrationNetworkPolicy" -}}
{{- if and .Values.networkPolicy.enabled (include "riposte.migrates" .) -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "riposte.metadata" (dict "root" . "name" (include "riposte.migration.name" .) "component" "migration") | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "riposte.selector" (dict "root" . "component" "migration") | nindent 6 }}
  policyTypes: {{ ternary (list "Ingress" "Egress") (list "Ingress") (not (empty .Values.networkPolicy.egress)) | toJson }}
  {{- with .Values.networkPolicy.egress }}
  egress:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
{{- end -}}
