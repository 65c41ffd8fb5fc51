{{/* Checks of combinations of values, which the schema cannot express. All faults are reported at
     once, before anything is rendered. */}}
{{- define "riposte.checks" -}}
{{- $faults := list -}}
{{- range $check := list "image" "store" "secrets" "transport" "scale" "once" "variables" "objects" -}}
{{- $told := include (printf "riposte.checks.%s" $check) $ -}}
{{- range $line := splitList "\n" $told -}}
{{- with trim $line -}}{{- $faults = append $faults (printf "  %s" .) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- if $faults -}}
{{- fail (printf "the values do not fit together:\n%s" (join "\n" $faults)) -}}
{{- end -}}
{{- end -}}

{{- define "riposte.checks.image" -}}
{{- if not .Values.image.repository }}
image.repository: name the image; the repository's Dockerfile builds it
{{- end }}
{{- if and (not .Values.serviceAccount.create) (not .Values.serviceAccount.name) }}
serviceAccount.name: name the account that exists, or let the chart create one
{{- end }}
{{- end -}}

{{- define "riposte.checks.store" -}}
{{- if include "riposte.sqlite" . -}}
{{- if or (ne (int .Values.replicas) 1) .Values.autoscaling.enabled }}
config.store.kind: SQLite has one process: set replicas to 1, and leave autoscaling disabled
{{- end }}
{{- if .Values.worker.enabled }}
worker.enabled: SQLite has one process, which does everything: leave it disabled
{{- end }}
{{- if or .Values.secrets.sources .Values.migration.sources }}
secrets.sources, migration.sources: are for config.store.kind mysql
{{- end }}
{{- else -}}
{{- $sources := len .Values.secrets.sources -}}
{{- $given := dig "store" "sources" list .Values.config | len -}}
{{- if not .Values.secrets.config.existingSecret }}
{{- if not $sources }}
secrets.sources: name a Secret with the address of each data source, or give secrets.config
{{- else if and $given (ne $given $sources) }}
secrets.sources: has {{ $sources }} addresses for {{ $given }} entries of config.store.sources
{{- end }}
{{- end }}
{{- if and .Values.migration.enabled (not .Values.migration.config.existingSecret) (not .Values.migration.sources) }}
migration.sources: name Secrets of an account that may CREATE and ALTER, or give migration.config, or disable migration
{{- end }}
{{- if and $sources .Values.migration.enabled .Values.migration.sources (ne $sources (len .Values.migration.sources)) }}
migration.sources: must be as many as secrets.sources, in the same order
{{- end }}
{{- end }}
{{- end -}}

{{- define "riposte.checks.secrets" -}}
{{- if not (include "riposte.insecure" .) -}}
{{- if not (or .Values.secrets.pageTokenKeys .Values.secrets.config.existingSecret) }}
secrets.pageTokenKeys: without a key a restart breaks every walk: name a Secret, or set config.auth.allow_insecure
{{- end }}
{{- if not .Values.secrets.callers.existingSecret }}
secrets.callers.existingSecret: every caller would be admitted: name the Secret of those who may call, or set config.auth.allow_insecure
{{- end }}
{{- end }}
{{- if and (eq (dig "cache" "kind" "none" .Values.config) "redis") (not (or .Values.secrets.cacheUrl.existingSecret .Values.secrets.config.existingSecret)) }}
secrets.cacheUrl.existingSecret: config.cache.kind is redis: name the Secret with its address
{{- end }}
{{- if and (eq (dig "cache" "kind" "none" .Values.config) "memory") (or (ne (int .Values.replicas) 1) .Values.autoscaling.enabled) }}
config.cache.kind: memory is for a single process: use redis or none, or set replicas to 1
{{- end }}
{{- if and (eq (dig "cache" "kind" "none" .Values.config) "memory") .Values.worker.enabled }}
worker.enabled: with config.cache.kind memory one process does everything: use redis or none, or leave it disabled
{{- end }}
{{- end -}}

{{- define "riposte.checks.transport" -}}
{{- $tls := .Values.secrets.tls.existingSecret -}}
{{- $plain := dig "server" "plaintext" (ne .Values.mesh.type "none") .Values.config -}}
{{- if not (or $tls $plain (include "riposte.insecure" .)) }}
secrets.tls.existingSecret: tokens and texts would cross the network readable: name a certificate, or the mesh (mesh.type), or set config.server.plaintext
{{- end }}
{{- if and $tls (eq .Values.probes.handler "grpc") }}
probes.handler: the kubelet's gRPC probes know no TLS: use exec
{{- end }}
{{- if and .Values.mesh.authorization.enabled (eq .Values.mesh.type "none") }}
mesh.authorization.enabled: needs mesh.type istio or linkerd
{{- end }}
{{- end -}}

{{- define "riposte.checks.scale" -}}
{{- with .Values.autoscaling }}
{{- if and .enabled (lt (int .maxReplicas) (int .minReplicas)) }}
autoscaling.maxReplicas: must not be below autoscaling.minReplicas
{{- end }}
{{- end }}
{{- end -}}

{{/* Lists in which Kubernetes allows each name once: a name of the values must not occur twice, and
     must not be one of the chart's own. */}}
{{- define "riposte.checks.once" -}}
{{- $lists := list
  (dict "path" "extraVolumes" "key" "name" "all" "riposte.serverVolumes" "more" .Values.extraVolumes)
  (dict "path" "extraVolumeMounts" "key" "mountPath" "all" "riposte.serverMounts" "more" .Values.extraVolumeMounts)
  (dict "path" "extraEnv" "key" "name" "all" "riposte.serverVariables" "more" .Values.extraEnv) -}}
{{- range $list := $lists -}}
{{- $all := include $list.all $ | fromYamlArray -}}
{{- $own := sub (len $all) (len $list.more) | int -}}
{{- range $place, $entry := $list.more }}
{{- $name := get $entry $list.key -}}
{{- range $before := slice $all 0 (add $own $place) }}
{{- if eq (get $before $list.key) $name }}
{{ $list.path }}.{{ $place }}.{{ $list.key }}: {{ $name }} is there already, from the chart or from an entry before
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Variables of the server for settings that the chart sets in another way. The server would
     reject both, or the variable would take precedence. */}}
{{- define "riposte.checks.variables" -}}
{{- $given := dict "RIPOSTE__SERVER__ROLES" true
  "RIPOSTE__STORE__SOURCES" (not (empty .Values.secrets.sources))
  "RIPOSTE__CACHE__URL" (not (empty .Values.secrets.cacheUrl.existingSecret))
  "RIPOSTE__PAGE_TOKENS__" (not (empty .Values.secrets.pageTokenKeys)) -}}
{{- range $place, $variable := .Values.extraEnv }}
{{- range $beginning, $set := $given }}
{{- if and $set (hasPrefix $beginning $variable.name) }}
extraEnv.{{ $place }}.name: {{ $variable.name }} is for what the chart sets, by `secrets` or by `worker`
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "riposte.checks.objects" -}}
{{- if and .Values.grpcRoute.enabled (not .Values.grpcRoute.parentRefs) }}
grpcRoute.parentRefs: name the Gateway
{{- end }}
{{- if and (ne .Values.monitoring.monitor "none") (not (include "riposte.exposed.metrics" .)) }}
monitoring.monitor: config.server.metrics_listen listens on the loopback address, where Prometheus does not reach it
{{- end }}
{{- if and (ne .Values.monitoring.monitor "none") (eq false (dig "telemetry" "scrape" true (.Values.config | default dict))) }}
monitoring.monitor: config.telemetry.scrape is off, so there is nothing to scrape
{{- end }}
{{- if and .Values.test.objectType .Values.secrets.callers.existingSecret (not .Values.test.token.existingSecret) }}
test.token.existingSecret: the test is a caller too: name the Secret with its token
{{- end }}
{{- range $name := keys .Values.patches | sortAlpha }}
{{- if not (has $name (include "riposte.objectNames" $ | fromJsonArray)) }}
patches.{{ $name }}: these values render no such object
{{- end }}
{{- end }}
{{- end -}}
