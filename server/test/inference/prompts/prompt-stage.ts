// Projects with prompts that are deployed. Uses only the HTTP contract; imports no source file.
import type { Stage, TestProject } from '../inference-stage.ts'

export const named = { id: 'tutor', variables: { topic: 'maths' } }
export const tutor = {
  messages: [
    { role: 'system', content: 'You teach {{topic}}.' },
    { role: 'user', content: 'Begin with {{topic}}.' },
  ],
  variables: { topic: { type: 'string', max_length: 2_000 } },
}
/** What `tutor` is with these variables. */
export const written = (topic: string) => [
  { role: 'system', content: `You teach ${topic}.` },
  { role: 'user', content: `Begin with ${topic}.` },
]

async function manage(stage: Stage, method: string, path: string, body?: object): Promise<void> {
  const { call, owner } = stage.harness
  const answer = await call(method, path, { session: owner.session, body })
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
}

export const putPrompt = (stage: Stage, { id }: Pick<TestProject, 'id'>, name: string, prompt: object) =>
  manage(stage, 'PUT', `/auth/v1/projects/${id}/prompts/${name}`, prompt)

export const deletePrompt = (stage: Stage, { id }: Pick<TestProject, 'id'>, name: string) =>
  manage(stage, 'DELETE', `/auth/v1/projects/${id}/prompts/${name}`)

export const deploy = (stage: Stage, { id }: Pick<TestProject, 'id'>) =>
  manage(stage, 'POST', `/auth/v1/projects/${id}/settings/deploy`)

export const changeSettings = (stage: Stage, { id }: Pick<TestProject, 'id'>, settings: object) =>
  manage(stage, 'PUT', `/auth/v1/projects/${id}/settings`, settings)

export async function deployTutor(stage: Stage, project: Pick<TestProject, 'id'>, prompt: object = tutor) {
  await putPrompt(stage, project, 'tutor', prompt)
  await deploy(stage, project)
}
