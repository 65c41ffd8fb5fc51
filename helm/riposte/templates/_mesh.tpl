{{/* Objects and labels for a mesh: the pods with a sidecar, and the callers of each port. */}}

{{/* Takes root and inject. */}}
{{- define "riposte.mesh.podLabels" -}}
{{- if eq .root.Values.mesh.type "istio" -}}
sidecar.istio.io/inject: {{ .inject | quote }}
{{- end -}}
{{- end -}}

{{/* Takes root and inject. */}}
{{- define "riposte.mesh.podAnnotations" -}}
{{- if eq .root.Values.mesh.type "linkerd" -}}
linkerd.io/inject: {{ ternary "enabled" "disabled" .inject }}
{{- end -}}
{{- end -}}

{{/* The callers of a port as JSON; the callers of the public port include the chart's own test.
     Takes root and port. */}}
{{- define "riposte.mesh.callers" -}}
{{- $of := dict "grpc" "callers" "admin" "admins" "metrics" "scrapers" -}}
{{- $callers := get .root.Values.mesh.authorization (get $of .port) -}}
{{- if and (eq .port "grpc") .root.Values.test.objectType -}}
{{- $callers = append $callers (dict "namespace" .root.Release.Namespace "serviceAccount" (include "riposte.test.name" .root)) -}}
{{- end -}}
{{- toJson $callers -}}
{{- end -}}

{{/* The name of a port of the pod. */}}
{{- define "riposte.mesh.portName" -}}
{{- get (dict "grpc" "grpc" "admin" "grpc-admin" "metrics" "http-metrics") . -}}
{{- end -}}

{{- define "riposte.mesh.objectName" -}}
{{- printf "%s-%s" (include "riposte.fullname" .root) .port -}}
{{- end -}}

{{/* Not empty if this mesh gets authorization objects. Takes root and mesh. */}}
{{- define "riposte.mesh.authorizes" -}}
{{- if and .root.Values.mesh.authorization.enabled (eq .root.Values.mesh.type .mesh) }}yes{{ end -}}
{{- end -}}

{{/* Linkerd: a port of the pods that admits only authorized callers. Takes root and port. */}}
{{- define "riposte.mesh.server" -}}
{{- if include "riposte.mesh.authorizes" (dict "root" .root "mesh" "linkerd") -}}
apiVersion: policy.linkerd.io/v1beta3
kind: Server
metadata:
  {{- include "riposte.metadata" (dict "root" .root "name" (include "riposte.mesh.objectName" .) "component" "server") | nindent 2 }}
spec:
  podSelector:
    {{- if eq .port "metrics" }}
    {{- include "riposte.allPods" .root | nindent 4 }}
    {{- else }}
    matchLabels:
      {{- include "riposte.selector" (dict "root" .root "component" "server") | nindent 6 }}
    {{- end }}
  port: {{ include "riposte.mesh.portName" .port }}
  {{- if eq .port "metrics" }}
  proxyProtocol: HTTP/1
  {{- else if .root.Values.secrets.tls.existingSecret }}
  proxyProtocol: TLS
  {{- else }}
  proxyProtocol: gRPC
  {{- end }}
{{- end -}}
{{- end -}}

{{/* Linkerd: the identities of the authorized callers. Takes root and port. */}}
{{- define "riposte.mesh.identities" -}}
{{- if include "riposte.mesh.authorizes" (dict "root" .root "mesh" "linkerd") -}}
{{- $callers := include "riposte.mesh.callers" . | fromJsonArray -}}
{{- if $callers -}}
apiVersion: policy.linkerd.io/v1alpha1
kind: MeshTLSAuthentication
metadata:
  {{- include "riposte.metadata" (dict "root" .root "name" (include "riposte.mesh.objectName" .) "component" "server") | nindent 2 }}
spec:
  identityRefs:
    {{- range $callers }}
    - {kind: ServiceAccount, name: {{ .serviceAccount }}, namespace: {{ .namespace }}}
    {{- end }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Both meshes: the authorization of the callers of a port. A port without callers gets none.
     Takes root and port. */}}
{{- define "riposte.mesh.authorization" -}}
{{- $callers := include "riposte.mesh.callers" . | fromJsonArray -}}
{{- if and $callers (include "riposte.mesh.authorizes" (dict "root" .root "mesh" "linkerd")) -}}
apiVersion: policy.linkerd.io/v1alpha1
kind: AuthorizationPolicy
metadata:
  {{- include "riposte.metadata" (dict "root" .root "name" (include "riposte.mesh.objectName" .) "component" "server") | nindent 2 }}
spec:
  targetRef: {group: policy.linkerd.io, kind: Server, name: {{ include "riposte.mesh.objectName" . }}}
  requiredAuthenticationRefs:
    - {group: policy.linkerd.io, kind: MeshTLSAuthentication, name: {{ include "riposte.mesh.objectName" . }}}
{{- else if and (eq .port "grpc") (include "riposte.mesh.authorizes" (dict "root" .root "mesh" "istio")) -}}
{{- $ports := list "grpc" "admin" "metrics" -}}
{{- include "riposte.mesh.istio" (dict "root" .root "name" (include "riposte.fullname" .root) "component" "server" "ports" $ports) -}}
{{- end -}}
{{- end -}}

{{/* Istio: one policy for all ports of a kind of pods. A port without a rule cannot be called.
     Takes root, name, component and ports. */}}
{{- define "riposte.mesh.istio" -}}
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata:
  {{- include "riposte.metadata" . | nindent 2 }}
spec:
  selector:
    matchLabels:
      {{- include "riposte.selector" . | nindent 6 }}
  action: ALLOW
  {{- $rules := list }}
  {{- range $port := .ports }}
  {{- $principals := list }}
  {{- range include "riposte.mesh.callers" (dict "root" $.root "port" $port) | fromJsonArray }}
  {{- $principals = append $principals (printf "%s/ns/%s/sa/%s" $.root.Values.mesh.trustDomain .namespace .serviceAccount) }}
  {{- end }}
  {{- if $principals }}
  {{- $from := dict "source" (dict "principals" $principals) }}
  {{- $to := dict "operation" (dict "ports" (list (include (printf "riposte.port.%s" $port) $.root))) }}
  {{- $rules = append $rules (dict "from" (list $from) "to" (list $to)) }}
  {{- end }}
  {{- end }}
  {{- with $rules }}
  rules:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "riposte.object.grpcServer" -}}
{{- include "riposte.mesh.server" (dict "root" . "port" "grpc") -}}
{{- end -}}
{{- define "riposte.object.adminServer" -}}
{{- include "riposte.mesh.server" (dict "root" . "port" "admin") -}}
{{- end -}}
{{- define "riposte.object.metricsServer" -}}
{{- include "riposte.mesh.server" (dict "root" . "port" "metrics") -}}
{{- end -}}
{{- define "riposte.object.grpcIdentities" -}}
{{- include "riposte.mesh.identities" (dict "root" . "port" "grpc") -}}
{{- end -}}
{{- define "riposte.object.adminIdentities" -}}
{{- include "riposte.mesh.identities" (dict "root" . "port" "admin") -}}
{{- end -}}
{{- define "riposte.object.metricsIdentities" -}}
{{- include "riposte.mesh.identities" (dict "root" . "port" "metrics") -}}
{{- end -}}
{{- define "riposte.object.grpcAuthorization" -}}
{{- include "riposte.mesh.authorization" (dict "root" . "port" "grpc") -}}
{{- end -}}
{{- define "riposte.object.adminAuthorization" -}}
{{- include "riposte.mesh.authorization" (dict "root" . "port" "admin") -}}
{{- end -}}
{{- define "riposte.object.metricsAuthorization" -}}
{{- include "riposte.mesh.authorization" (dict "root" . "port" "metrics") -}}
{{- end -}}
