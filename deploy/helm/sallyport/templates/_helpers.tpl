{{- /* Call with (dict "root" $ "name" <component>). */ -}}
{{- define "sallyport.selector" -}}
app.kubernetes.io/name: sallyport
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{- define "sallyport.labels" -}}
{{ include "sallyport.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- /* One process for each core only where a pod has a limit: otherwise it sees all cores of its node. */ -}}
{{- define "sallyport.processes" -}}
{{- if .processes -}}
{{ .processes }}
{{- else if hasKey (.resources.limits | default dict) "cpu" -}}
auto
{{- else -}}
1
{{- end -}}
{{- end -}}
