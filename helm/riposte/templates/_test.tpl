{{/* `helm test`: typical calls on every data source. */}}

{{- define "riposte.test.name" -}}
{{- printf "%s-test" (include "riposte.fullname" .) -}}
{{- end -}}

{{- define "riposte.object.testServiceAccount" -}}
{{- if .Values.test.objectType -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "riposte.metadata" (dict "root" . "name" (include "riposte.test.name" .) "component" "test") | nindent 2 }}
automountServiceAccountToken: false
{{- end -}}
{{- end -}}

{{- define "riposte.object.testPod" -}}
{{- if .Values.test.objectType -}}
{{- $tls := .Values.secrets.tls.existingSecret -}}
{{- $host := printf "%s.%s.svc:%v" (include "riposte.fullname" .) .Release.Namespace .Values.service.port -}}
apiVersion: v1
kind: Pod
metadata:
  {{- include "riposte.metadata" (dict "root" . "name" (include "riposte.test.name" .) "component" "test") | nindent 2 }}
    {{- include "riposte.mesh.podLabels" (dict "root" . "inject" true) | nindent 4 }}
  annotations:
    helm.sh/hook: test
    helm.sh/hook-delete-policy: before-hook-creation
    {{- include "riposte.mesh.podAnnotations" (dict "root" . "inject" true) | nindent 4 }}
spec:
  restartPolicy: Never
  serviceAccountName: {{ include "riposte.test.name" . }}
  {{- include "riposte.place" . | nindent 2 }}
  containers:
    - name: smoke
      {{- include "riposte.container" . | nindent 6 }}
      args:
        - smoke
        - --target={{ ternary "https" "http" (not (empty $tls)) }}://{{ $host }}
        - --object-type={{ .Values.test.objectType }}
        # Enough subjects for each data source, so that none is missed.
        - --subjects={{ max 1 (len .Values.secrets.sources) (dig "store" "sources" list .Values.config | len) | mul 24 }}
      {{- with include "riposte.test.variables" . | trim }}
      env:
        {{- . | nindent 8 }}
      {{- end }}
      resources:
        requests: {cpu: 50m, memory: 32Mi}
        limits: {memory: 256Mi}
      {{- if .Values.test.ca.existingSecret }}
      volumeMounts:
        - {name: ca, mountPath: /etc/riposte/ca, readOnly: true}
      {{- end }}
  {{- with .Values.test.ca.existingSecret }}
  volumes:
    {{- include "riposte.secretVolume" (dict "name" "ca" "secret" .) | nindent 4 }}
  {{- end }}
{{- end -}}
{{- end -}}

{{- define "riposte.test.variables" -}}
{{- with .Values.test.token }}
{{- if .existingSecret }}
{{ include "riposte.variable" (dict "variable" "RIPOSTE_TOKEN" "from" .) }}
{{- if not $.Values.secrets.tls.existingSecret }}
# With a mesh, or with a server that uses plaintext by configuration.
- {name: RIPOSTE_INSECURE_TOKEN, value: "true"}
{{- end }}
{{- end }}
{{- end }}
{{- if .Values.test.ca.existingSecret }}
- {name: RIPOSTE_TLS_CA, value: /etc/riposte/ca/{{ .Values.test.ca.key }}}
{{- end }}
{{- end -}}
