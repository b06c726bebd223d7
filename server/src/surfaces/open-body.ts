// Opens the body of a request: if it names a prompt of the project, the prompt is written out, and everything behind
// this file gets the request that a client who wrote the same messages would have sent.

import { setImmediate } from 'node:timers/promises'
import type { NamedPrompt } from '../call/admitted-call.ts'
import { checkOwnPart, isInstructionItem } from '../domain/clients/own-part.ts'
import { instructionFields } from '../domain/conversation/client-rules.ts'
import type { EstimatedRequest } from '../domain/conversation/inference-request.ts'
import { Refusal } from '../domain/errors.ts'
import { visitPlaces } from '../domain/json/json-places.ts'
import { JsonText, writeJson } from '../domain/json/json-text.ts'
import { patchBody } from '../domain/json/patch-body.ts'
import { isJsonObject, type JsonObject } from '../domain/json-object.ts'
import { fillTemplate } from '../domain/prompts/fill-template.ts'
import type { NamedTemplate } from '../domain/prompts/template.ts'
import type { LiveConfig } from '../domain/settings/live-config.ts'
import type { Settings } from '../domain/settings/settings.ts'
import type { RequestBody } from '../http/read-body.ts'
import type { PromptForm } from './prompt-form.ts'
import type { Endpoint } from './surface.ts'

export interface OpenedBody {
  estimated: EstimatedRequest
  prompt: NamedPrompt | null
}

/** What a project says about the request. */
export interface OpeningProject {
  live: Pick<LiveConfig, 'project_id' | 'prompts' | 'deployment'>
  settings: Settings
}

/** The prompts of an old deployment; null if the project has no such deployment. */
export type FindVersion = (projectId: string, deployment: number) => Promise<readonly NamedTemplate[] | null>

/** Throws if the frame of the body is invalid, and for a prompt that cannot be used. */
export function openBody(
  endpoint: Endpoint,
  body: RequestBody,
  project: OpeningProject,
  findVersion: FindVersion,
): OpenedBody | Promise<OpenedBody> {
  const { promptForm: form } = endpoint
  if (form !== undefined && isJsonObject(body.value)) {
    const named = form.find(body.value) ?? null
    if (named !== null) return openWithPrompt(endpoint, { form, named, body, own: body.value }, project, findVersion)
    if (project.settings.client_prompts === 'required') throw new Refusal('prompt_required')
  }
  return { estimated: endpoint.estimate(body.value, body.bytes), prompt: null }
}

interface Naming {
  form: PromptForm
  /** What stands where a request names its prompt. */
  named: unknown
  body: RequestBody
  own: JsonObject
}

async function openWithPrompt(
  endpoint: Endpoint,
  { form, named, body, own }: Naming,
  { live, settings }: OpeningProject,
  findVersion: FindVersion,
): Promise<OpenedBody> {
  const reference = readReference(form, named)
  const template = await findTemplate(live, reference, findVersion)
  const filled = fillTemplate(template, reference.variables, `${form.path}.variables`)
  if (!filled.ok) return refuseWhere(form, filled.message)
  const dropsInstructions = checkOwnPart(own, settings, form)
  const said = dropsInstructions ? withoutInstructions(own, form.list) : own
  // Reading the body changes its schemas into texts; the template is that of all requests.
  const params = structuredClone(template.params)
  const { messages, members } = form.write(said, { ...template, params, messages: filled.value.messages, settings })
  const dropped = dropsInstructions ? Object.fromEntries(instructionFields.map(name => [name, undefined])) : {}
  const written = await writeOut(
    body,
    own,
    { list: form.list, messages, dropsInstructions },
    { ...dropped, ...members },
  )
  return {
    estimated: endpoint.estimate(written.value, written.bytes),
    prompt: { name: template.name, texts: filled.value.texts, body: written },
  }
}

interface Reference {
  id: string
  version: number | null
  variables: unknown
}

const referenceFields = ['id', 'version', 'variables']
const maxDeployment = 2_147_483_647

/** OpenAI's clients write the version as a text. */
function readReference(form: PromptForm, named: unknown): Reference {
  if (!isJsonObject(named)) return form.refuse(form.path, 'must be an object')
  const { id, version = null, variables = null } = named
  const unknown = Object.keys(named).find(name => !referenceFields.includes(name))
  if (unknown !== undefined) form.refuse(form.path, `has an unknown field: ${unknown.slice(0, 100).toWellFormed()}`)
  if (typeof id !== 'string' || id === '') return form.refuse(`${form.path}.id`, 'must be the name of a prompt')
  if (version === null) return { id, version, variables }
  const number = typeof version === 'string' && /^[1-9]\d{0,9}$/.test(version) ? Number(version) : version
  const isNumber = typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= maxDeployment
  if (!isNumber) return form.refuse(`${form.path}.version`, 'must be the number of a deployment')
  return { id, version: number, variables }
}

async function findTemplate(
  live: OpeningProject['live'],
  { id, version }: Reference,
  findVersion: FindVersion,
): Promise<NamedTemplate> {
  const isLive = version === null || version === live.deployment
  // Deployments have consecutive numbers: a higher one than the live one does not have to be looked for.
  const isPast = version !== null && (live.deployment === null || version <= live.deployment)
  const prompts = isLive ? live.prompts : isPast ? await findVersion(live.project_id, version) : null
  if (prompts === null) throw new Refusal('prompt_not_found', { message: `The project has no deployment ${version}` })
  const found = prompts.find(({ name }) => name === id)
  if (found !== undefined) return found
  const where = version === null ? 'The project' : `Deployment ${version}`
  const name = JSON.stringify(id.slice(0, 64).toWellFormed())
  throw new Refusal('prompt_not_found', { message: `${where} has no prompt ${name}` })
}

/** The messages of the fill begin with the path. */
function refuseWhere(form: PromptForm, message: string): never {
  const [path = form.path] = message.split(' ', 1)
  return form.refuse(path, message.slice(path.length + 1))
}

function withoutInstructions(own: JsonObject, list: string): JsonObject {
  const kept = Object.fromEntries(Object.entries(own).filter(([name]) => !instructionFields.includes(name)))
  const items = kept[list]
  return Array.isArray(items) ? { ...kept, [list]: items.filter(item => !isInstructionItem(item)) } : kept
}

interface WrittenList {
  list: string
  messages: readonly JsonObject[]
  dropsInstructions: boolean
}

/** A body of this many bytes is read in several turns of the event loop. */
const largeBytes = 262_144

/**
 * Every other byte of the request stays as the client wrote it. A request with two members of one name is written anew:
 * what was read of it is the last one.
 */
async function writeOut(
  { bytes }: RequestBody,
  own: JsonObject,
  { list, messages, dropsInstructions }: WrittenList,
  members: JsonObject,
): Promise<RequestBody> {
  const breathe = () => (bytes.length < largeBytes ? undefined : setImmediate())
  const given = own[list] ?? []
  const items = Array.isArray(given) ? given : [{ role: 'user', content: given }]
  await breathe()
  const texts = Array.isArray(given) && given.length > 0 ? textsOfItems(bytes, list) : []
  await breathe()
  const isKept = (item: unknown) => !dropsInstructions || !isInstructionItem(item)
  const fromTexts = items.map((item, at) => texts[at] ?? item).filter((_, at) => isKept(items[at]))
  const value = apply(own, { ...members, [list]: [...messages, ...items.filter(isKept)] })
  const patched = patchBody(bytes, { ...members, [list]: [...messages, ...fromTexts] })
  await breathe()
  return { value, bytes: patched === null ? Buffer.from(writeJson(value)) : Buffer.from(patched) }
}

/** The objects of a list, as the client wrote them. */
function textsOfItems(bytes: Buffer, list: string): JsonText[] {
  const texts: JsonText[] = []
  const text = bytes.toString('utf8')
  visitPlaces(text, { members: { [list]: { items: { holds: 'object' } } } }, (_kind, start, end, path) => {
    const at = path[1]
    if (typeof at === 'number') texts[at] = new JsonText(text.slice(start, end))
  })
  return texts
}

function apply(own: JsonObject, members: JsonObject): JsonObject {
  const kept = Object.entries({ ...own, ...members }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(kept)
}
