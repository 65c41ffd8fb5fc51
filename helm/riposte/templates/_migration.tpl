{{/* The Job that migrates the tables to the schema of this version, with an account and credentials
     of its own. */}}

{{- define "riposte.migrates" -}}
{{- if and .Values.migration.enabled (not (include "riposte.sqlite" .)) }}yes{{ end -}}
{{- end -}}

{{- define "riposte.migration.name" -}}
{{- printf "%s-migrate" (include "riposte.fullname" .) -}}
{{- end -}}

{{- define "riposte.object.migrationServiceAccount" -}}
{{- if include "riposte.migrates" . -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "riposte.metadata" (dict "root" . "name" (include "riposte.migration.name" .) "component" "migration") | nindent 2 }}
automountServiceAccountToken: false
{{- end -}}
{{- end -}}

{{/* A hash of the whole object is appended to the name of the Job. The Job exists for as long as
     its release. If it deleted itself, a tool that compares the objects would create it again. */}}
{{- define "riposte.object.migrationJob" -}}
{{- if include "riposte.migrates" . -}}
apiVersion: batch/v1
kind: Job
metadata:
  {{- include "riposte.metadata" (dict "root" . "name" (include "riposte.migration.name" .) "component" "migration") | nindent 2 }}
spec:
  backoffLimit: {{ .Values.migration.backoffLimit }}
  podFailurePolicy:
    rules:
      - action: Ignore
        onPodConditions:
          - {type: DisruptionTarget, status: "True"}
      # Exit code 2: the configuration is wrong, or the data has other table counts. A repeat
      # cannot succeed.
      - action: FailJob
        onExitCodes: {containerName: migrate, operator: In, values: [2]}
  template:
    metadata:
      labels:
        {{- include "riposte.labels" (dict "root" . "component" "migration") | nindent 8 }}
        {{- include "riposte.mesh.podLabels" (dict "root" . "inject" .Values.mesh.injectJobs) | nindent 8 }}
        {{- with .Values.migration.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        checksum/config: {{ include "riposte.file" . | sha256sum | quote }}
        {{- include "riposte.mesh.podAnnotations" (dict "root" . "inject" .Values.mesh.injectJobs) | nindent 8 }}
        {{- with .Values.migration.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      restartPolicy: Never
      serviceAccountName: {{ include "riposte.migration.name" . }}
      {{- include "riposte.place" . | nindent 6 }}
      containers:
        - name: migrate
          {{- include "riposte.container" . | nindent 10 }}
          args:
            - migrate
            - up
            {{- include "riposte.configArguments" .Values.migration.config | nindent 12 }}
            # The migration does not use the cache, so it needs no address of it.
            - --set=cache.kind=none
          resources:
            {{- toYaml .Values.migration.resources | nindent 12 }}
          volumeMounts:
            {{- include "riposte.configMounts" .Values.migration.config | nindent 12 }}
            {{- include "riposte.credentialsMount" (include "riposte.sourceCredentials" .Values.migration.sources) | trim | nindent 12 }}
      volumes:
        {{- include "riposte.configVolumes" (dict "root" . "config" .Values.migration.config) | nindent 8 }}
        {{- include "riposte.credentialsVolume" (include "riposte.sourceCredentials" .Values.migration.sources) | trim | nindent 8 }}
{{- end -}}
{{- end -}}
