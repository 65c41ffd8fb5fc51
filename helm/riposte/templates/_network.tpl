{{/* Network policies: the peers that may reach each port. The network of the cluster has to enforce
     them. */}}

{{- define "riposte.object.networkPolicy" -}}
{{- $callers := .Values.networkPolicy.callers -}}
{{- if .Values.test.objectType -}}
{{- $test := include "riposte.selector" (dict "root" . "component" "test") | fromYaml -}}
{{- $callers = append $callers (dict "podSelector" (dict "matchLabels" $test)) -}}
{{- end -}}
{{- $peers := dict "grpc" $callers "grpc-admin" .Values.networkPolicy.admins "http-metrics" .Values.networkPolicy.scrapers -}}
{{- include "riposte.networkPolicy" (dict "root" . "name" (include "riposte.fullname" .) "component" "server" "peers" $peers) -}}
{{- end -}}

{{/* Takes root, name, component and, under the name of each port, the peers that may reach it. */}}
{{- define "riposte.networkPolicy" -}}
{{- $of := .root.Values.networkPolicy -}}
{{- if $of.enabled -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "riposte.metadata" . | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "riposte.selector" . | nindent 6 }}
  policyTypes: {{ ternary (list "Ingress" "Egress") (list "Ingress") (not (empty $of.egress)) | toJson }}
  {{- $rules := list }}
  {{- range $port, $peers := .peers }}
  {{- if $peers }}
  {{- $ports := list (dict "port" $port "protocol" "TCP") }}
  {{- if eq $.root.Values.mesh.type "linkerd" }}
  {{- /* Linkerd's proxies connect to each other on this port, and check the callers of the port of
         the request. */}}
  {{- $ports = append $ports (dict "port" 4143 "protocol" "TCP") }}
  {{- end }}
  {{- $rules = append $rules (dict "from" $peers "ports" $ports) }}
  {{- end }}
  {{- end }}
  {{- /* The API server does not store an empty list, so an empty list would be a change at each
         apply. */}}
  {{- with $rules }}
  ingress: {{ toJson . }}
  {{- end }}
  {{- with $of.egress }}
  egress:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
{{- end -}}

{{- define "riposte.object.migrationNetworkPolicy" -}}
{{- if include "riposte.migrates" . -}}
{{- include "riposte.networkPolicy" (dict "root" . "name" (include "riposte.migration.name" .) "component" "migration" "peers" dict) -}}
{{- end -}}
{{- end -}}
