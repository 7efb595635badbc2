module faultline.test/podsecurity

go 1.24.0

require (
	k8s.io/api v0.34.4
	k8s.io/apimachinery v0.34.4
	k8s.io/pod-security-admission v0.34.4
	sigs.k8s.io/yaml v1.6.0
)
