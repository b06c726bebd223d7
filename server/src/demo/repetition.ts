// The commands that repeat the demo's steps while it runs.

import { type DemoProject, demoSettings } from './prepare-project.ts'
import { completionUrl } from './product-client.ts'
import { killSwitchPath, stepBodies } from './steps.ts'

interface Repetition {
  baseUrl: string
  project: DemoProject
  adminSecretFile: string
  model: string
}

export function describeRepetition({ baseUrl, project, adminSecretFile, model }: Repetition): string {
  const url = completionUrl(baseUrl, project.slug)
  const setSwitch = (enabled: boolean) =>
    `curl -sS -X POST ${baseUrl}${killSwitchPath(project)} -H "$json" \\
  -H "X-Admin-Secret: $(cat '${adminSecretFile}')" -d '{"enabled":${enabled}}'`
  return `Repeat each step with curl while the demo runs:

url=${url}
json='Content-Type: application/json'

# Tokens for two end users, as your server would mint them
mint() {
  curl -sS -X POST ${baseUrl}/auth/v1/auth/mint -H "$json" \\
    -H 'Authorization: Bearer ${project.apiKey}' -d "{\\"user_id\\":\\"$1\\"}" |
    sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/'
}
export alice=$(mint alice) bob=$(mint bob)

# 1. Masking
curl -sS -N $url -H "Authorization: Bearer $alice" -H "$json" \\
  -d '${JSON.stringify(stepBodies.masking)}'

# 2. Prompt injection
curl -sS -i $url -H "Authorization: Bearer $alice" -H "$json" \\
  -d '${JSON.stringify(stepBodies.injection)}'

# 3. Limit
for request in $(seq ${demoSettings.user_rpm_limit + 1}); do
  curl -sS -i $url -H "Authorization: Bearer $bob" -H "$json" \\
    -d '${JSON.stringify(stepBodies.limit)}'
done

# 4. Kill switch: start a stream, set the switch, reset it
curl -sS -N $url -H "Authorization: Bearer $alice" -H "$json" \\
  -d '${JSON.stringify(stepBodies.killSwitch)}' & sleep 1
${setSwitch(true)}; wait
${setSwitch(false)}

With the OpenAI client:

const client = new OpenAI({ baseURL: '${url.replace('/chat/completions', '')}', apiKey: process.env.alice })
await client.chat.completions.create({ model: '${model}', messages: [{ role: 'user', content: 'Hello' }] })`
}
