{{/* The pods that serve calls, their configuration file, and their number. */}}

{{- define "riposte.object.configMap" -}}
apiVersion: v1
kind: ConfigMap
metadata:
  {{- include "riposte.metadata" (dict "root" . "name" (include "riposte.fullname" .) "component" "server") | nindent 2 }}
data:
  riposte.toml: {{ include "riposte.file" . | toJson }}
{{- end -}}

{{- define "riposte.object.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "riposte.metadata" (dict "root" . "name" (include "riposte.serviceAccount" .) "component" "server") | nindent 2 }}
  {{- with .Values.serviceAccount.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end -}}
{{- end -}}

{{/* The roles of the pods that serve calls: all roles, unless there are separate workers. */}}
{{- define "riposte.object.deployment" -}}
{{- $of := dict "component" "server" "workload" (include "riposte.fullname" .) "role" (ternary "api" "" .Values.worker.enabled) -}}
{{- include "riposte.deployment" (merge $of (dict "Values" .Values "Chart" .Chart "Release" .Release)) -}}
{{- end -}}

{{/* Takes Values, Chart, Release, component, workload (its name) and role; without a role the pods
     have all roles. */}}
{{- define "riposte.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "riposte.metadata" (dict "root" . "name" .workload "component" .component) | nindent 2 }}
spec:
  {{- if not .Values.autoscaling.enabled }}
  replicas: {{ .Values.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  strategy:
    {{- if include "riposte.sqlite" . }}
    type: Recreate
    {{- else }}
    type: RollingUpdate
    rollingUpdate: {maxSurge: 25%, maxUnavailable: 0}
    {{- end }}
  selector:
    matchLabels:
      {{- include "riposte.selector" (dict "root" . "component" .component) | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "riposte.labels" (dict "root" . "component" .component) | nindent 8 }}
        {{- include "riposte.mesh.podLabels" (dict "root" . "inject" true) | nindent 8 }}
        {{- with .Values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        checksum/config: {{ include "riposte.file" . | sha256sum | quote }}
        {{- include "riposte.mesh.podAnnotations" (dict "root" . "inject" true) | nindent 8 }}
        {{- with .Values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ include "riposte.serviceAccount" . }}
      terminationGracePeriodSeconds: {{ include "riposte.gracePeriod" . }}
      {{- include "riposte.place" . | nindent 6 }}
      {{- if .Values.topologySpread.enabled }}
      topologySpreadConstraints:
        {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
        - maxSkew: 1
          topologyKey: {{ . }}
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "riposte.selector" (dict "root" $ "component" $.component) | nindent 14 }}
        {{- end }}
      {{- end }}
      containers:
        - name: riposte
          {{- include "riposte.container" . | nindent 10 }}
          args:
            - serve
            {{- include "riposte.configArguments" .Values.secrets.config | nindent 12 }}
            {{- with .role }}
            - --set=server.roles=["{{ . }}"]
            {{- end }}
          {{- with include "riposte.serverVariables" . | trim }}
          env:
            {{- . | nindent 12 }}
          {{- end }}
          ports:
            - {name: grpc, containerPort: {{ include "riposte.port.grpc" . }}}
            - {name: grpc-admin, containerPort: {{ include "riposte.port.admin" . }}}
            - {name: http-metrics, containerPort: {{ include "riposte.port.metrics" . }}}
          {{- range $probe := list "startup" "readiness" "liveness" }}
          {{ $probe }}Probe:
            {{- include "riposte.probe" (dict "root" $ "probe" $probe) | nindent 12 }}
          {{- end }}
          resources:
            {{- toYaml .Values.resources | nindent 12 }}
          volumeMounts:
            {{- include "riposte.serverMounts" . | nindent 12 }}
      volumes:
        {{- include "riposte.serverVolumes" . | nindent 8 }}
{{- end -}}

{{- define "riposte.serverVariables" -}}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Files whose paths are in the configuration. */}}
{{- define "riposte.serverCredentials" -}}
{{- include "riposte.sourceCredentials" .Values.secrets.sources }}
{{- range $place, $from := .Values.secrets.pageTokenKeys }}
{{ include "riposte.credential" (dict "path" (printf "page-token-key-%d" $place) "from" $from) }}
{{- end }}
{{- with .Values.secrets.cacheUrl }}
{{- if .existingSecret }}
{{ include "riposte.credential" (dict "path" "cache" "from" .) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Takes root and probe. Only the readiness probe checks whether the server serves calls. */}}
{{- define "riposte.probe" -}}
{{- with .root.Values.probes -}}
{{- if eq .handler "exec" -}}
exec:
  command:
    - /riposte
    - healthcheck
    {{- if ne $.probe "readiness" }}
    - --live
    {{- end }}
    {{- include "riposte.configArguments" $.root.Values.secrets.config | nindent 4 }}
{{- else if eq $.probe "readiness" -}}
grpc:
  port: {{ include "riposte.port.grpc" $.root }}
{{- else -}}
tcpSocket:
  port: grpc
{{- end }}
{{ get . $.probe | toYaml }}
{{- end -}}
{{- end -}}

{{- define "riposte.serverMounts" -}}
{{- include "riposte.configMounts" .Values.secrets.config }}
{{- include "riposte.credentialsMount" (include "riposte.serverCredentials" .) }}
{{- if .Values.secrets.tls.existingSecret }}
- {name: tls, mountPath: /etc/riposte/tls, readOnly: true}
{{- end }}
{{- if .Values.secrets.callers.existingSecret }}
- {name: callers, mountPath: /etc/riposte/callers, readOnly: true}
{{- end }}
{{- if .Values.secrets.kafka.existingSecret }}
- {name: kafka, mountPath: /etc/riposte/kafka, readOnly: true}
{{- end }}
{{- if include "riposte.sqlite" . }}
- {name: data, mountPath: /var/lib/riposte}
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "riposte.serverVolumes" -}}
{{- include "riposte.configVolumes" (dict "root" . "config" .Values.secrets.config) }}
{{- include "riposte.credentialsVolume" (include "riposte.serverCredentials" .) }}
{{- with .Values.secrets.tls.existingSecret }}
{{ include "riposte.secretVolume" (dict "name" "tls" "secret" .) }}
{{- end }}
{{- with .Values.secrets.callers.existingSecret }}
{{ include "riposte.secretVolume" (dict "name" "callers" "secret" .) }}
{{- end }}
{{- with .Values.secrets.kafka.existingSecret }}
{{ include "riposte.secretVolume" (dict "name" "kafka" "secret" .) }}
{{- end }}
{{- if include "riposte.sqlite" . }}
- name: data
  {{- with .Values.sqlite.existingClaim }}
  persistentVolumeClaim: {claimName: {{ . }}}
  {{- else }}
  emptyDir: {}
  {{- end }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "riposte.object.horizontalPodAutoscaler" -}}
{{- with .Values.autoscaling -}}
{{- if .enabled -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  {{- include "riposte.metadata" (dict "root" $ "name" (include "riposte.fullname" $) "component" "server") | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "riposte.fullname" $ }}
  minReplicas: {{ .minReplicas }}
  maxReplicas: {{ .maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: {type: Utilization, averageUtilization: {{ .targetCPUUtilizationPercentage }}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "riposte.object.podDisruptionBudget" -}}
{{- $of := dict "component" "server" "workload" (include "riposte.fullname" .) -}}
{{- include "riposte.podDisruptionBudget" (merge $of (dict "Values" .Values "Chart" .Chart "Release" .Release)) -}}
{{- end -}}

{{/* Takes Values, Chart, Release, component and workload (its name). */}}
{{- define "riposte.podDisruptionBudget" -}}
{{- $pods := ternary .Values.autoscaling.minReplicas .Values.replicas .Values.autoscaling.enabled -}}
{{- if and .Values.disruptionBudget.enabled (gt (int $pods) 1) -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "riposte.metadata" (dict "root" . "name" .workload "component" .component) | nindent 2 }}
spec:
  maxUnavailable: {{ .Values.disruptionBudget.maxUnavailable }}
  # A pod that waits for its tables serves no calls, so it may be evicted.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "riposte.selector" (dict "root" . "component" .component) | nindent 6 }}
{{- end -}}
{{- end -}}
