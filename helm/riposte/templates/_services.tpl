{{/* The Services. */}}

{{/* The protocol of the public and the admin port. Each mesh has its own name for gRPC, and treats
     the server's own TLS as opaque. */}}
{{- define "riposte.appProtocol" -}}
{{- if .Values.secrets.tls.existingSecret -}}
https
{{- else if eq .Values.mesh.type "istio" -}}
grpc
{{- else -}}
kubernetes.io/h2c
{{- end -}}
{{- end -}}

{{/* Takes root, name (of the object), type, annotations and the port (portName, port, appProtocol),
     and component if the pods are not those that serve calls. */}}
{{- define "riposte.service" -}}
{{- $component := default "server" .component -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "riposte.metadata" (dict "root" .root "name" .name "component" $component) | nindent 2 }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- if eq .type "headless" }}
  clusterIP: None
  {{- else }}
  type: {{ .type }}
  {{- end }}
  selector:
    {{- include "riposte.selector" (dict "root" .root "component" $component) | nindent 4 }}
  ports:
    - name: {{ .portName }}
      port: {{ .port }}
      targetPort: {{ .portName }}
      protocol: TCP
      appProtocol: {{ .appProtocol }}
{{- end -}}

{{- define "riposte.object.service" -}}
{{- $port := dict "portName" "grpc" "port" .Values.service.port "appProtocol" (include "riposte.appProtocol" .) -}}
{{- $of := dict "root" . "name" (include "riposte.fullname" .) "type" .Values.service.type "annotations" .Values.service.annotations -}}
{{- include "riposte.service" (merge $of $port) -}}
{{- end -}}

{{/* For clients that distribute their calls themselves: the address of every pod. */}}
{{- define "riposte.object.headlessService" -}}
{{- $name := printf "%s-headless" (include "riposte.fullname" .) -}}
{{- $port := dict "portName" "grpc" "port" (include "riposte.port.grpc" .) "appProtocol" (include "riposte.appProtocol" .) -}}
{{- include "riposte.service" (merge (dict "root" . "name" $name "type" "headless") $port) -}}
{{- end -}}

{{- define "riposte.object.adminService" -}}
{{- if include "riposte.exposed.admin" . -}}
{{- $name := printf "%s-admin" (include "riposte.fullname" .) -}}
{{- $port := dict "portName" "grpc-admin" "port" .Values.service.adminPort "appProtocol" (include "riposte.appProtocol" .) -}}
{{- include "riposte.service" (merge (dict "root" . "name" $name "type" "ClusterIP") $port) -}}
{{- end -}}
{{- end -}}

{{- define "riposte.object.metricsService" -}}
{{- if include "riposte.exposed.metrics" . -}}
{{- $name := printf "%s-metrics" (include "riposte.fullname" .) -}}
{{- $port := dict "portName" "http-metrics" "port" .Values.service.metricsPort "appProtocol" "http" -}}
{{- include "riposte.service" (merge (dict "root" . "name" $name "type" "ClusterIP") $port) -}}
{{- end -}}
{{- end -}}

{{- define "riposte.object.grpcRoute" -}}
{{- if .Values.grpcRoute.enabled -}}
apiVersion: gateway.networking.k8s.io/v1
kind: GRPCRoute
metadata:
  {{- include "riposte.metadata" (dict "root" . "name" (include "riposte.fullname" .) "component" "server") | nindent 2 }}
spec:
  parentRefs:
    {{- toYaml .Values.grpcRoute.parentRefs | nindent 4 }}
  {{- with .Values.grpcRoute.hostnames }}
  hostnames:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  rules:
    - backendRefs:
        - name: {{ include "riposte.fullname" . }}
          port: {{ .Values.service.port }}
{{- end -}}
{{- end -}}
