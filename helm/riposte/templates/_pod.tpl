{{/* The common parts of the pods of server, Job and test. */}}

{{- define "riposte.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- define "riposte.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}

{{/* The first fields of a container. */}}
{{- define "riposte.container" -}}
image: {{ include "riposte.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  {{- include "riposte.containerSecurity" . | nindent 2 }}
{{- end -}}

{{/* The placement of pods, and the names of pull secrets. */}}
{{- define "riposte.place" -}}
automountServiceAccountToken: false
{{- /* Variables with the names of Services are not settings of the server. */}}
enableServiceLinks: false
securityContext:
  {{- include "riposte.podSecurity" . | nindent 2 }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}

{{/* One variable from a Secret. Takes variable and from (existingSecret, key). */}}
{{- define "riposte.variable" -}}
- name: {{ .variable }}
  valueFrom:
    secretKeyRef:
      name: {{ .from.existingSecret }}
      key: {{ .from.key }}
{{- end -}}

{{/* One file of the credentials from a Secret. Takes path and from (existingSecret, key). */}}
{{- define "riposte.credential" -}}
- secret:
    name: {{ .from.existingSecret }}
    items:
      - {key: {{ .from.key }}, path: {{ .path }}}
{{- end -}}

{{/* The addresses of data sources as files of the credentials. Takes a list of secret keys. */}}
{{- define "riposte.sourceCredentials" -}}
{{- range $place, $from := . }}
{{ include "riposte.credential" (dict "path" (printf "source-%d" $place) "from" $from) }}
{{- end }}
{{- end -}}

{{/* Takes credentials; there may be none. */}}
{{- define "riposte.credentialsMount" -}}
{{- if trim . }}
- {name: credentials, mountPath: /etc/riposte/credentials, readOnly: true}
{{- end }}
{{- end -}}

{{/* All credentials in one volume, so that values that change together are read together. Takes
     credentials; there may be none. */}}
{{- define "riposte.credentialsVolume" -}}
{{- with trim . }}
- name: credentials
  projected:
    defaultMode: 0440
    sources:
      {{- . | nindent 6 }}
{{- end }}
{{- end -}}

{{/* The files that are read, as arguments. Takes a secret config (existingSecret, key). */}}
{{- define "riposte.configArguments" -}}
- --config=/etc/riposte/config/riposte.toml
{{- if .existingSecret }}
- --config=/etc/riposte/secret/{{ .key }}
{{- end }}
{{- end -}}

{{/* Takes a secret config. */}}
{{- define "riposte.configMounts" -}}
- name: config
  mountPath: /etc/riposte/config
  readOnly: true
{{- if .existingSecret }}
- name: secret
  mountPath: /etc/riposte/secret
  readOnly: true
{{- end }}
{{- end -}}

{{/* Takes root and a secret config. */}}
{{- define "riposte.configVolumes" -}}
- name: config
  configMap:
    name: {{ include "riposte.fullname" .root }}
{{- with .config.existingSecret }}
{{ include "riposte.secretVolume" (dict "name" "secret" "secret" .) }}
{{- end }}
{{- end -}}

{{/* A Secret as files that only the group of the pod can read. Takes name and secret. */}}
{{- define "riposte.secretVolume" -}}
- name: {{ .name }}
  secret:
    secretName: {{ .secret }}
    defaultMode: 0440
{{- end -}}
