{{/* The server's configuration, and values that are computed from it. */}}

{{- define "riposte.sqlite" -}}
{{- if eq (dig "store" "kind" "mysql" .Values.config) "sqlite" }}yes{{ end -}}
{{- end -}}

{{- define "riposte.insecure" -}}
{{- if dig "auth" "allow_insecure" false .Values.config }}yes{{ end -}}
{{- end -}}

{{/* The configuration of the server as JSON: the values, and the paths of the files that the chart
     mounts. */}}
{{- define "riposte.config" -}}
{{- $paths := dict -}}
{{- with .Values.secrets.tls -}}
{{- if .existingSecret -}}
{{- $tls := dict "cert_file" "/etc/riposte/tls/tls.crt" "key_file" "/etc/riposte/tls/tls.key" -}}
{{- with .clientCaKey -}}
{{- $_ := set $tls "client_ca_file" (printf "/etc/riposte/tls/%s" .) -}}
{{- end -}}
{{- $_ := set $paths "server" (dict "tls" $tls) -}}
{{- else if and (ne $.Values.mesh.type "none") (not (hasKey (dig "server" dict $.Values.config) "plaintext")) -}}
{{- $_ := set $paths "server" (dict "plaintext" true) -}}
{{- end -}}
{{- end -}}
{{- with .Values.secrets.callers -}}
{{- if .existingSecret -}}
{{- $_ := set $paths "auth" (dict "callers_file" (printf "/etc/riposte/callers/%s" .key)) -}}
{{- end -}}
{{- end -}}
{{- if include "riposte.sqlite" . -}}
{{- $_ := set $paths "store" (dict "data_dir" "/var/lib/riposte") -}}
{{- else -}}
{{- with include "riposte.sources" . | fromJsonArray -}}
{{- $_ := set $paths "store" (dict "sources" .) -}}
{{- end -}}
{{- end -}}
{{- if .Values.secrets.cacheUrl.existingSecret -}}
{{- $_ := set $paths "cache" (dict "url_file" "/etc/riposte/credentials/cache") -}}
{{- end -}}
{{- with .Values.secrets.pageTokenKeys -}}
{{- $files := list -}}
{{- range $place, $from := . -}}
{{- $files = append $files (printf "/etc/riposte/credentials/page-token-key-%d" $place) -}}
{{- end -}}
{{- $_ := set $paths "page_tokens" (dict "key_files" $files) -}}
{{- end -}}
{{- with .Values.secrets.kafka -}}
{{- if .existingSecret -}}
{{- $kafka := dict -}}
{{- range $name, $key := dict "ca_file" .caKey "cert_file" .certKey "key_file" .privateKeyKey "sasl_password_file" .passwordKey -}}
{{- if $key -}}
{{- $_ := set $kafka $name (printf "/etc/riposte/kafka/%s" $key) -}}
{{- end -}}
{{- end -}}
{{- $_ := set $paths "events" (dict "kafka" $kafka) -}}
{{- end -}}
{{- end -}}
{{- mustMergeOverwrite (deepCopy .Values.config) $paths | toJson -}}
{{- end -}}

{{/* The data sources with the files of their addresses, as JSON. The paths are the same in the pods
     that serve and in the Job; the credentials differ. Empty if both read the data sources from a
     file of secrets. */}}
{{- define "riposte.sources" -}}
{{- $named := max (len .Values.secrets.sources) (len .Values.migration.sources) -}}
{{- $given := dig "store" "sources" list .Values.config -}}
{{- $sources := list -}}
{{- if $named -}}
{{- range $place := max $named (len $given) | int | until -}}
{{- $source := dict "url_file" (printf "/etc/riposte/credentials/source-%d" $place) -}}
{{- if lt $place (len $given) -}}
{{- $source = merge $source (index $given $place) -}}
{{- end -}}
{{- $sources = append $sources $source -}}
{{- end -}}
{{- end -}}
{{- $sources | toJson -}}
{{- end -}}

{{/* A table as TOML: first its values, then its inner tables. Texts, numbers and lists have the
     same form in JSON and in TOML. Takes table and its path. */}}
{{- define "riposte.toml" -}}
{{- $path := .path -}}
{{- $inner := list -}}
{{- range $key, $value := .table -}}
{{- $name := include "riposte.tomlKey" $key -}}
{{- if kindIs "map" $value -}}
{{- $inner = append $inner (dict "head" (printf "[%s]" (append $path $name | join ".")) "path" (append $path $name) "table" $value) -}}
{{- else if and (kindIs "slice" $value) $value (kindIs "map" (first $value)) -}}
{{- range $item := $value -}}
{{- $inner = append $inner (dict "head" (printf "[[%s]]" (append $path $name | join ".")) "path" (append $path $name) "table" $item) -}}
{{- end -}}
{{- else }}
{{ $name }} = {{ toJson $value }}
{{- end -}}
{{- end -}}
{{- range $inner }}

{{ .head }}
{{- include "riposte.toml" . -}}
{{- end -}}
{{- end -}}

{{- define "riposte.tomlKey" -}}
{{- if regexMatch "^[A-Za-z0-9_-]+$" . }}{{ . }}{{ else }}{{ toJson . }}{{ end -}}
{{- end -}}

{{- define "riposte.file" -}}
# Made by the chart from .Values.config.
{{- include "riposte.toml" (dict "path" list "table" (include "riposte.config" . | fromJson)) }}
{{ end -}}

{{/* The port of an address. Takes config, key and the default port. */}}
{{- define "riposte.port" -}}
{{- $address := dig "server" .key "" .config -}}
{{- if $address -}}
{{- regexFind ":[0-9]+$" $address | trimPrefix ":" -}}
{{- else -}}
{{- .default -}}
{{- end -}}
{{- end -}}

{{- define "riposte.port.grpc" -}}
{{- include "riposte.port" (dict "config" .Values.config "key" "listen" "default" "7171") -}}
{{- end -}}

{{- define "riposte.port.admin" -}}
{{- include "riposte.port" (dict "config" .Values.config "key" "admin_listen" "default" "7172") -}}
{{- end -}}

{{- define "riposte.port.metrics" -}}
{{- include "riposte.port" (dict "config" .Values.config "key" "metrics_listen" "default" "7173") -}}
{{- end -}}

{{/* Not empty if an address can be reached from outside its pod. Without an address the server
     listens on the loopback address. */}}
{{- define "riposte.exposed" -}}
{{- $address := dig "server" .key "127.0.0.1:0" .config -}}
{{- if not (or (hasPrefix "127." $address) (hasPrefix "[::1]" $address)) }}yes{{ end -}}
{{- end -}}

{{- define "riposte.exposed.admin" -}}
{{- include "riposte.exposed" (dict "config" .Values.config "key" "admin_listen") -}}
{{- end -}}

{{- define "riposte.exposed.metrics" -}}
{{- include "riposte.exposed" (dict "config" .Values.config "key" "metrics_listen") -}}
{{- end -}}

{{/* A duration of the server's configuration in whole seconds, rounded up. */}}
{{- define "riposte.seconds" -}}
{{- $units := dict "ms" 1 "s" 1000 "min" 60000 "h" 3600000 "d" 86400000 -}}
{{- $count := regexFind "[0-9]+" . | int64 -}}
{{- $unit := get $units (regexFind "[a-z]+" .) | int64 -}}
{{- div (add (mul $count $unit) 999) 1000 -}}
{{- end -}}

{{/* The grace period of a pod: drain_delay, in which calls are still accepted; drain_timeout for
     running calls; drain_timeout again for queued writes; and the time to close the store. */}}
{{- define "riposte.gracePeriod" -}}
{{- $delay := include "riposte.seconds" .Values.config.server.drain_delay | int64 -}}
{{- $timeout := include "riposte.seconds" .Values.config.server.drain_timeout | int64 -}}
{{- add $delay $timeout $timeout 5 -}}
{{- end -}}
