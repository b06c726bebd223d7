// Opens a project to users without an account: they prove work, and a tier of their own lets them use prompts alone. A
// prompt or tier that exists by that name stays as it is.
import { deployDraft, saveDraft } from '../../api/draft.ts'
import { hasStatus } from '../../api/errors.ts'
import { request } from '../../api/management.ts'

const tierName = 'anonymous'
const promptName = 'chat'

export async function openToAnonymousUsers(projectId: string): Promise<void> {
  await keepPrompt(projectId)
  await keepTier(projectId)
  await saveDraft(projectId, { anonymous: { attestation: ['proof_of_work'], tier: tierName } })
  await deployDraft(projectId)
}

async function keepPrompt(projectId: string): Promise<void> {
  const address = '/auth/v1/projects/{projectId}/prompts/{promptName}'
  const path = { projectId, promptName }
  try {
    await request('GET', address, { path })
  } catch (error) {
    if (!hasStatus(error, 404)) throw error
    const content = 'You are a helpful assistant. Answer briefly.'
    await request('PUT', address, { path, body: { messages: [{ role: 'system', content }] } })
  }
}

async function keepTier(projectId: string): Promise<void> {
  const address = '/auth/v1/projects/{projectId}/tiers'
  const tiers = await request('GET', address, { path: { projectId } })
  if (tiers.some(({ name }) => name === tierName)) return
  const body = { name: tierName, overrides: { client_prompts: 'required' as const } }
  await request('POST', address, { path: { projectId }, body })
}
