{{/* The configuration of the daemon: what the chart knows of the pod, and over it what `config` says. */}}

{{/* Helm reads on and off as true and false: back to the words, where the schema has them. Changes the map in place. */}}
{{- define "faultline.words" -}}
{{- $words := .words }}
{{- range $key, $value := .map }}
{{- if and (kindIs "bool" $value) (has $key $words) }}{{ $_ := set $.map $key (ternary "on" "off" $value) }}
{{- else if kindIs "map" $value }}{{ include "faultline.words" (dict "map" $value "words" $words) }}
{{- else if kindIs "slice" $value }}{{ range $value }}{{ if kindIs "map" . }}{{ include "faultline.words" (dict "map" . "words" $words) }}{{ end }}{{ end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "faultline.config" -}}
{{- $values := .Values -}}
{{- $own := dict "host" "${NODE_NAME}" -}}
{{- $_ := set $own "directories" (dict "state" "/var/lib/faultline" "log" "/var/lib/faultline/log" "runtime" "/run/faultline") -}}
{{- if and $values.hostMounts.sys (not (include "faultline.ownSys" .)) }}{{ $_ := set $own "roots" (dict "sys" "/host/sys") }}{{ end -}}
{{- $sources := dict -}}
{{- if $values.gpu.driverRoot }}{{ $_ := set $sources "gpu" (dict "library" (printf "/host/driver/%s" (trimPrefix "/" $values.gpu.library))) }}{{ end -}}
{{- $steps := list -}}
{{- if $values.hostMounts.podsApi }}{{ $steps = append $steps "pods_api" }}{{ end -}}
{{- if $values.rbac.kubelet }}{{ $steps = append $steps "kubelet" }}{{ end -}}
{{- if $values.rbac.pods }}{{ $steps = concat $steps (list "api_server" "api_metadata") }}{{ end -}}
{{- if $values.hostMounts.podLogs }}{{ $steps = append $steps "log_names" }}{{ end -}}
{{- if $values.hostMounts.podResources }}{{ $steps = append $steps "pod_resources" }}{{ end -}}
{{- $_ := set $sources "kubernetes" (ternary (dict "kubelet_root" "/var/lib/kubelet" "steps" $steps) (dict "enabled" "off") (gt (len $steps) 0)) -}}
{{- $_ := set $own "sources" $sources -}}
{{- $_ := set $own "prometheus" (dict "enabled" "on" "listen" (printf "%s:%v" $values.metrics.address $values.metrics.port) "dcgm_names" $values.metrics.dcgmNames) -}}
{{- $given := deepCopy $values.config -}}
{{- include "faultline.words" (dict "map" $given "words" (.Files.Get "files/words.json" | fromJsonArray)) -}}
{{- toYaml (mergeOverwrite $own $given) -}}
{{- end }}
