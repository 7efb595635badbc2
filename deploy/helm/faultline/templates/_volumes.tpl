{{/* Folders, never files, devices or sockets: one that is missing on a node must not keep the pod from starting. */}}

{{- define "faultline.mounts" -}}
- { name: config, mountPath: /etc/faultline, readOnly: true }
- { name: state, mountPath: /var/lib/faultline }
# kubelet makes it writable for all: the daemon makes its own folder in it, and refuses one that others can write.
- { name: run, mountPath: /run }
- { name: tmp, mountPath: /tmp }
{{- if and .Values.hostMounts.sys (not (include "faultline.ownSys" .)) }}
- { name: sys, mountPath: /host/sys, readOnly: true }
{{- end }}
{{- if .Values.hostMounts.podResources }}
- { name: pod-resources, mountPath: /var/lib/kubelet/pod-resources, readOnly: true }
{{- end }}
{{- if .Values.hostMounts.podsApi }}
- { name: pods-api, mountPath: /var/lib/kubelet/pods-api, readOnly: true }
{{- end }}
{{- if .Values.hostMounts.cdi }}
- { name: cdi, mountPath: /etc/cdi, readOnly: true }
{{- end }}
{{- if .Values.hostMounts.devicePlugins }}
- { name: device-plugins, mountPath: /var/lib/kubelet/device-plugins, readOnly: true }
{{- end }}
{{- if .Values.hostMounts.podLogs }}
- { name: pod-logs, mountPath: /var/log/pods, readOnly: true }
{{- end }}
{{- if .Values.gpu.driverRoot }}
# A driver container that starts again mounts its root again.
- { name: driver, mountPath: /host/driver, readOnly: true, mountPropagation: HostToContainer }
{{- end }}
{{- range .Values.secrets }}
- { name: secret-{{ .name }}, mountPath: /etc/faultline-secrets/{{ .name }}, readOnly: true }
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "faultline.volumes" -}}
- name: config
  configMap: { name: {{ include "faultline.name" . }} }
- name: state
  {{- if eq .Values.state.type "hostPath" }}
  hostPath: { path: {{ .Values.state.path }}, type: DirectoryOrCreate }
  {{- else }}
  emptyDir: { sizeLimit: {{ .Values.state.sizeLimit }} }
  {{- end }}
- name: run
  emptyDir: { medium: Memory, sizeLimit: 1Mi }
- name: tmp
  emptyDir: { sizeLimit: 64Mi }
{{- if and .Values.hostMounts.sys (not (include "faultline.ownSys" .)) }}
- name: sys
  hostPath: { path: /sys }
{{- end }}
{{- if .Values.hostMounts.podResources }}
- name: pod-resources
  hostPath: { path: {{ .Values.kubeletRoot }}/pod-resources, type: DirectoryOrCreate }
{{- end }}
{{- if .Values.hostMounts.podsApi }}
- name: pods-api
  hostPath: { path: {{ .Values.kubeletRoot }}/pods-api, type: DirectoryOrCreate }
{{- end }}
{{- if .Values.hostMounts.cdi }}
- name: cdi
  hostPath: { path: /var/run/cdi, type: DirectoryOrCreate }
{{- end }}
{{- if .Values.hostMounts.devicePlugins }}
- name: device-plugins
  hostPath: { path: {{ .Values.kubeletRoot }}/device-plugins, type: DirectoryOrCreate }
{{- end }}
{{- if .Values.hostMounts.podLogs }}
- name: pod-logs
  hostPath: { path: /var/log/pods, type: DirectoryOrCreate }
{{- end }}
{{- if .Values.gpu.driverRoot }}
- name: driver
  hostPath: { path: {{ .Values.gpu.driverRoot }} }
{{- end }}
{{- range .Values.secrets }}
- name: secret-{{ .name }}
  {{- if .secretName }}
  secret: { secretName: {{ .secretName }}, defaultMode: 0400, optional: {{ .optional | default false }} }
  {{- else }}
  csi: {{- toYaml .csi | nindent 4 }}
  {{- end }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
