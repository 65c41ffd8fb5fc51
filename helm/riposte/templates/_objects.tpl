{{/* Converts a template to an object: applies its patches and writes it in one form. */}}

{{/* The objects of the chart by the names that `patches` accepts. Each has a template
     "riposte.object.<name>", which is empty if the values request no such object. */}}
{{- define "riposte.allObjects" -}}
- configMap
- serviceAccount
- deployment
- service
- headlessService
- adminService
- metricsService
- horizontalPodAutoscaler
- podDisruptionBudget
- workerDeployment
- workerPodDisruptionBudget
- workerMetricsService
- workerNetworkPolicy
- workerAuthorization
- migrationServiceAccount
- migrationJob
- networkPolicy
- migrationNetworkPolicy
- grpcRoute
- monitor
- prometheusRule
- dashboards
- testServiceAccount
- testPod
{{- range $port := list "grpc" "admin" "metrics" }}
- {{ $port }}Server
- {{ $port }}Identities
- {{ $port }}Authorization
{{- end }}
{{- end -}}

{{/* The objects that these values render, as JSON. */}}
{{- define "riposte.objectNames" -}}
{{- $names := list -}}
{{- range $name := include "riposte.allObjects" . | fromYamlArray -}}
{{- if include (printf "riposte.object.%s" $name) $ | trim -}}{{- $names = append $names $name -}}{{- end -}}
{{- end -}}
{{- toJson $names -}}
{{- end -}}

{{/* One object with its patches, as JSON. Takes root and name. */}}
{{- define "riposte.patchedObject" -}}
{{- $name := .name -}}
{{- $object := include (printf "riposte.object.%s" $name) .root | fromYaml -}}
{{- with get $object "Error" -}}{{- fail (printf "%s: %s" $name .) -}}{{- end -}}
{{- range $patch := get .root.Values.patches $name | default list -}}
{{- $path := rest (splitList "/" $patch.path) -}}
{{- $made := include "riposte.patched" (dict "in" $object "path" $path "patch" $patch "name" $name) | fromJson -}}
{{- $object = $made.out -}}
{{- end -}}
{{- if eq $name "migrationJob" -}}
{{- /* A Job cannot be changed, so a Job with other contents gets another name. */ -}}
{{- $hash := toJson $object | sha256sum | trunc 10 -}}
{{- $_ := set $object.metadata "name" (printf "%s-%s" $object.metadata.name $hash) -}}
{{- end -}}
{{- toJson $object -}}
{{- end -}}

{{/* One step of a JSON patch: the value `in` with the patch applied at `path`, as JSON under `out`.
     Lists cannot be changed in place, so each level returns its value. */}}
{{- define "riposte.patched" -}}
{{- $in := .in -}}
{{- $patch := .patch -}}
{{- $lost := printf "patches.%s: there is nothing at %s" .name $patch.path -}}
{{- if not .path -}}
{{- $in = $patch.value -}}
{{- else -}}
{{- $key := first .path | replace "~1" "/" | replace "~0" "~" -}}
{{- $rest := rest .path -}}
{{- if kindIs "map" $in -}}
{{- $there := hasKey $in $key -}}
{{- if and (not $there) (or $rest (ne $patch.op "add")) -}}{{- fail $lost -}}{{- end -}}
{{- if and (not $rest) (eq $patch.op "remove") -}}
{{- $in = omit $in $key -}}
{{- else -}}
{{- $made := include "riposte.patched" (dict "in" (get $in $key) "path" $rest "patch" $patch "name" .name) | fromJson -}}
{{- $_ := set $in $key (get $made "out") -}}
{{- end -}}
{{- else if kindIs "slice" $in -}}
{{- $length := len $in -}}
{{- if not (or (regexMatch "^(0|[1-9][0-9]*)$" $key) (eq $key "-")) -}}{{- fail $lost -}}{{- end -}}
{{- $at := $length -}}
{{- if ne $key "-" -}}{{- $at = atoi $key -}}{{- end -}}
{{- $adds := and (not $rest) (eq $patch.op "add") -}}
{{- if or (gt $at $length) (and (eq $at $length) (not $adds)) -}}{{- fail $lost -}}{{- end -}}
{{- $before := slice $in 0 $at -}}
{{- if $adds -}}
{{- $in = concat $before (list $patch.value) (slice $in $at) -}}
{{- else if and (not $rest) (eq $patch.op "remove") -}}
{{- $in = concat $before (slice $in (add1 $at)) -}}
{{- else -}}
{{- $made := include "riposte.patched" (dict "in" (index $in $at) "path" $rest "patch" $patch "name" .name) | fromJson -}}
{{- $in = concat $before (list (get $made "out")) (slice $in (add1 $at)) -}}
{{- end -}}
{{- else -}}
{{- fail $lost -}}
{{- end -}}
{{- end -}}
{{- toJson (dict "out" $in) -}}
{{- end -}}
