{{/* {root, canary}: the pod itself. */}}
{{- define "faultline.pod" -}}
{{- $root := .root -}}
{{- $values := .root.Values -}}
serviceAccountName: {{ include "faultline.serviceAccount" $root }}
automountServiceAccountToken: {{ if include "faultline.asksApi" $root }}true{{ else }}false{{ end }}
{{- with $values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $values.gpu.runtimeClassName }}
runtimeClassName: {{ . }}
{{- end }}
hostPID: {{ $values.hostPID }}
hostNetwork: {{ $values.hostNetwork }}
dnsPolicy: {{ ternary "ClusterFirstWithHostNet" "ClusterFirst" $values.hostNetwork }}
enableServiceLinks: false
terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
securityContext:
  # kubelet's sockets are for user 0 alone; a user with another number gets no capability from Kubernetes.
  runAsUser: 0
  runAsGroup: 0
  {{- if ne $values.profile "full" }}
  seccompProfile: { type: RuntimeDefault }
  {{- end }}
{{- with include "faultline.affinity" . }}
affinity: {{- . | nindent 2 }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
containers:
  - name: faultline
    image: {{ include "faultline.image" (dict "root" $root "tag" (ternary $values.canary.tag $values.image.tag .canary) "digest" (ternary $values.canary.digest $values.image.digest .canary)) | quote }}
    imagePullPolicy: {{ $values.image.pullPolicy }}
    args: [run, --config, /etc/faultline/faultline.yaml{{ if eq $values.configReload "watch" }}, --watch-config{{ end }}]
    securityContext: {{- include "faultline.security" $root | nindent 6 }}
    env: {{- include "faultline.env" $root | nindent 6 }}
    ports:
      - { name: metrics, containerPort: {{ $values.metrics.port }}, protocol: TCP }
      {{- range include "faultline.trapPorts" $root | splitList "," | compact }}
      # PDUs send their traps to the node.
      - { name: traps-{{ . }}, containerPort: {{ . }}{{ if not $values.hostNetwork }}, hostPort: {{ . }}{{ end }}, protocol: UDP }
      {{- end }}
    # Alive is the daemon's own event loop, whatever driver, kubelet or API server do: what hangs there is what it reports.
    startupProbe:
      httpGet: { path: /healthz, port: metrics }
      periodSeconds: 2
      failureThreshold: 60
    livenessProbe:
      httpGet: { path: /healthz, port: metrics }
      periodSeconds: 20
      timeoutSeconds: 5
      failureThreshold: 6
    readinessProbe:
      httpGet: { path: /readyz, port: metrics }
      periodSeconds: 10
      timeoutSeconds: 5
    resources: {{- toYaml $values.resources | nindent 6 }}
    volumeMounts: {{- include "faultline.mounts" $root | nindent 6 }}
volumes: {{- include "faultline.volumes" $root | nindent 2 }}
{{- end }}

{{- define "faultline.security" -}}
{{- if eq .Values.profile "full" -}}
privileged: true
{{- else -}}
privileged: false
allowPrivilegeEscalation: false
capabilities:
  drop: [ALL]
  {{- with .Values.capabilities }}
  add: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
readOnlyRootFilesystem: true
{{- with .Values.appArmorProfile }}
appArmorProfile: { type: {{ . }} }
{{- end }}
{{- end }}

{{- define "faultline.env" -}}
- { name: NODE_NAME, valueFrom: { fieldRef: { fieldPath: spec.nodeName } } }
- { name: HOST_IP, valueFrom: { fieldRef: { fieldPath: status.hostIP } } }
# One heap of glibc's for all threads: each further one keeps what it once held.
- { name: MALLOC_ARENA_MAX, value: "1" }
{{- if not .Values.gpu.driverRoot }}
# All GPUs and the management library, by the NVIDIA runtime; this takes none from the scheduler.
- { name: NVIDIA_VISIBLE_DEVICES, value: all }
- { name: NVIDIA_DRIVER_CAPABILITIES, value: utility }
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}
