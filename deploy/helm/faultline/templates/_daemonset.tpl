{{/* {root, canary}: the set of pods, and the second set that tries another image. */}}
{{- define "faultline.daemonset" -}}
{{- $root := .root -}}
{{- $values := .root.Values -}}
{{- $name := include "faultline.name" $root -}}
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: {{ $name }}{{ if .canary }}-canary{{ end }}
  namespace: {{ $root.Release.Namespace }}
  labels: {{- include "faultline.labels" $root | nindent 4 }}
spec:
  selector:
    matchLabels:
      {{- include "faultline.selector" $root | nindent 6 }}
      faultline/track: {{ ternary "canary" "stable" .canary }}
  updateStrategy: {{- toYaml $values.updateStrategy | nindent 4 }}
  template:
    metadata:
      labels:
        {{- with $values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
        {{- include "faultline.labels" $root | nindent 8 }}
        faultline/track: {{ ternary "canary" "stable" .canary }}
      annotations:
        kubectl.kubernetes.io/default-container: faultline
        {{- if eq $values.configReload "restart" }}
        checksum/config: {{ include "faultline.config" $root | sha256sum }}
        {{- end }}
        {{- with $values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- include "faultline.pod" . | nindent 6 }}
{{- end }}

{{- define "faultline.affinity" -}}
{{- $own := list -}}
{{- $canary := dict "key" .root.Values.canary.nodeLabel "operator" (ternary "Exists" "DoesNotExist" .canary) -}}
{{- if .root.Values.gpuNodesOnly -}}
{{- range list "nvidia.com/gpu.present" "feature.node.kubernetes.io/pci-10de.present" "feature.node.kubernetes.io/pci-0302_10de.present" "feature.node.kubernetes.io/pci-0300_10de.present" "cloud.google.com/gke-accelerator" -}}
{{- $key := . -}}
{{- $present := ternary (dict "key" $key "operator" "Exists") (dict "key" $key "operator" "In" "values" (list "true")) (eq $key "cloud.google.com/gke-accelerator") -}}
{{- $own = append $own (dict "matchExpressions" (ternary (list $present $canary) (list $present) $.root.Values.canary.enabled)) -}}
{{- end -}}
{{- else if .root.Values.canary.enabled -}}
{{- $own = list (dict "matchExpressions" (list $canary)) -}}
{{- end -}}
{{- $affinity := dict -}}
{{- if $own -}}{{- $affinity = dict "nodeAffinity" (dict "requiredDuringSchedulingIgnoredDuringExecution" (dict "nodeSelectorTerms" $own)) -}}{{- end -}}
{{- $affinity = mergeOverwrite $affinity (deepCopy .root.Values.affinity) -}}
{{- if $affinity }}{{ toYaml $affinity }}{{ end -}}
{{- end }}
