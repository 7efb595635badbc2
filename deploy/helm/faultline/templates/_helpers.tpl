{{/* Names, labels, image: what several files use. */}}

{{- define "faultline.name" -}}
{{- if contains "faultline" .Release.Name -}}{{ .Release.Name | trunc 56 | trimSuffix "-" }}{{- else -}}{{ printf "%s-faultline" (.Release.Name | trunc 46 | trimSuffix "-") }}{{- end -}}
{{- end }}

{{- define "faultline.selector" -}}
app.kubernetes.io/name: faultline
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "faultline.labels" -}}
{{ include "faultline.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/component: agent
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name (.Chart.Version | replace "+" "_") }}
{{- end }}

{{- define "faultline.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}{{ .Values.serviceAccount.name | default (include "faultline.name" .) }}{{- else -}}{{ .Values.serviceAccount.name | default "default" }}{{- end -}}
{{- end }}

{{/* Whether the API server or kubelet is asked for anything: else no token is in the pod. */}}
{{- define "faultline.asksApi" -}}
{{- with .Values.rbac }}{{ if or .pods .nodes .events .kubelet .claims .acting }}true{{ end }}{{ end -}}
{{- end }}

{{/* {root, tag, digest}: digest before tag before appVersion. */}}
{{- define "faultline.image" -}}
{{- $repository := .root.Values.image.repository -}}
{{- if .digest -}}{{ $repository }}@{{ .digest }}{{- else -}}{{ $repository }}:{{ .tag | default .root.Chart.AppVersion }}{{- end -}}
{{- end }}

{{/* With the host's network and all devices, the container's own /sys is the host's, and ethtool reaches its cards. */}}
{{- define "faultline.ownSys" -}}
{{- if and .Values.hostNetwork (eq .Values.profile "full") }}true{{ end -}}
{{- end }}

{{/* Values that fit the schema and not each other: one line each, with what to write. */}}
{{- define "faultline.check" -}}
{{- with .Values }}
{{- if and .gpu.driverRoot (ne .profile "full") }}{{ fail "gpu.driverRoot needs profile: full, as the devices of the GPUs are shut otherwise. Write: profile: full, or gpu.runtimeClassName: nvidia" }}{{ end }}
{{- if and .gpu.driverRoot .gpu.runtimeClassName }}{{ fail "gpu.driverRoot and gpu.runtimeClassName are both set. Write: gpu.runtimeClassName: \"\" to take the driver from the node" }}{{ end }}
{{- if and .canary.enabled (not .canary.tag) (not .canary.digest) }}{{ fail "canary.enabled needs the image to try. Write: canary.tag or canary.digest" }}{{ end }}
{{- if and (not .rbac.create) .serviceAccount.create (include "faultline.asksApi" $) }}{{ fail "rbac.create is false, and the new service account would have no rights. Write: serviceAccount.create: false with serviceAccount.name of one that has them, or rbac.pods, rbac.nodes and rbac.events: false" }}{{ end }}
{{- range .extraEnv }}
{{- if and (hasKey . "value") (regexMatch "(?i)(pass|secret|token|community|headers|api_?key|private_?key)" .name) }}{{ fail (printf "extraEnv %s looks like a secret and is written out. Write: valueFrom: {secretKeyRef: {name: …, key: …}}" .name) }}{{ end }}
{{- end }}
{{- end }}
{{- end }}

{{/* UDP ports on which the configuration has PDUs' traps taken, each once, with commas between. */}}
{{- define "faultline.trapPorts" -}}
{{- $ports := list -}}
{{- range (dig "sources" "pdu" list .Values.config) -}}
{{- with .trap_port }}{{ $ports = append $ports (int .) }}{{ end -}}
{{- end -}}
{{- $ports | uniq | join "," -}}
{{- end }}
