{{/* The separate pods for the work that is done once for all pods. */}}

{{- define "riposte.worker.name" -}}
{{- printf "%s-worker" (include "riposte.fullname" .) -}}
{{- end -}}

{{/* The values of these pods as JSON: their own values replace those of the pods that serve. They
     receive no calls, so they need no autoscaler. */}}
{{- define "riposte.worker.values" -}}
{{- $values := deepCopy .Values -}}
{{- range $key := list "replicas" "resources" "disruptionBudget" "topologySpread" "podLabels" "podAnnotations" -}}
{{- $_ := set $values $key (get $.Values.worker $key) -}}
{{- end -}}
{{- range $key := list "nodeSelector" "tolerations" "affinity" "priorityClassName" -}}
{{- with get $.Values.worker $key -}}
{{- $_ := set $values $key . -}}
{{- end -}}
{{- end -}}
{{- $_ := set $values "autoscaling" (dict "enabled" false) -}}
{{- toJson $values -}}
{{- end -}}

{{- define "riposte.object.workerDeployment" -}}
{{- if .Values.worker.enabled -}}
{{- $of := dict "component" "worker" "workload" (include "riposte.worker.name" .) "role" "worker" -}}
{{- include "riposte.deployment" (merge $of (dict "Values" (include "riposte.worker.values" . | fromJson) "Chart" .Chart "Release" .Release)) -}}
{{- end -}}
{{- end -}}

{{- define "riposte.object.workerPodDisruptionBudget" -}}
{{- if .Values.worker.enabled -}}
{{- $of := dict "component" "worker" "workload" (include "riposte.worker.name" .) -}}
{{- include "riposte.podDisruptionBudget" (merge $of (dict "Values" (include "riposte.worker.values" . | fromJson) "Chart" .Chart "Release" .Release)) -}}
{{- end -}}
{{- end -}}

{{- define "riposte.object.workerMetricsService" -}}
{{- if and .Values.worker.enabled (include "riposte.exposed.metrics" .) -}}
{{- $name := printf "%s-metrics" (include "riposte.worker.name" .) -}}
{{- $port := dict "portName" "http-metrics" "port" .Values.service.metricsPort "appProtocol" "http" -}}
{{- include "riposte.service" (merge (dict "root" . "name" $name "type" "ClusterIP" "component" "worker") $port) -}}
{{- end -}}
{{- end -}}

{{/* Only the port of the metrics has to be reached from outside. */}}
{{- define "riposte.object.workerNetworkPolicy" -}}
{{- if .Values.worker.enabled -}}
{{- $peers := dict "http-metrics" .Values.networkPolicy.scrapers -}}
{{- include "riposte.networkPolicy" (dict "root" . "name" (include "riposte.worker.name" .) "component" "worker" "peers" $peers) -}}
{{- end -}}
{{- end -}}

{{/* Istio: the same. With Linkerd the policies of the metrics port cover both kinds of pods. */}}
{{- define "riposte.object.workerAuthorization" -}}
{{- if and .Values.worker.enabled (include "riposte.mesh.authorizes" (dict "root" . "mesh" "istio")) -}}
{{- include "riposte.mesh.istio" (dict "root" . "name" (include "riposte.worker.name" .) "component" "worker" "ports" (list "metrics")) -}}
{{- end -}}
{{- end -}}
