{{/* Removed values: the error about such a value names its successor. */}}
{{- define "riposte.removed" -}}
{{- range $gone := (.Files.Get "removed.yaml" | fromYaml).removed -}}
{{- $at := $.Values -}}
{{- $there := true -}}
{{- range $key := splitList "." $gone.path -}}
{{- if and $there (kindIs "map" $at) (hasKey $at $key) -}}
{{- $at = get $at $key -}}
{{- else -}}
{{- $there = false -}}
{{- end -}}
{{- end -}}
{{- if $there -}}
{{- fail (printf "%s was removed in %s: use %s" $gone.path $gone.since $gone.instead) -}}
{{- end -}}
{{- end -}}
{{- end -}}
