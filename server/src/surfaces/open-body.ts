// Opens the body of a request: if it names a prompt of the project, the prompt is written out, and everything behind
// this file gets the request that a client who wrote the same messages would have sent.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { NamedPrompt } from '../call/admitted-call.ts'
import { checkOwnPart, isInstructionItem } from '../domain/clients/own-part.ts'
import { findInstructionFields } from '../domain/conversation/client-rules.ts'
import type { EstimatedRequest } from '../domain/conversation/inference-request.ts'
import { Refusal } from '../domain/errors.ts'
import { visitPlaces } from '../domain/json/json-places.ts'
import { JsonText, largeLength, writeJson } from '../domain/json/json-text.ts'
import { patchBody } from '../domain/json/patch-body.ts'
import { isJsonObject, type JsonObject } from '../domain/json-object.ts'
import type { Settings } from '../domain/settings/settings.ts'
import type { RequestBody } from '../http/read-body.ts'
import { type FindVersion, fillNamed, type LivePrompts } from './named-prompt.ts'
import type { PromptForm } from './prompt-form.ts'
import type { Endpoint } from './surface.ts'

export interface OpenedBody {
  estimated: EstimatedRequest
  prompt: NamedPrompt | null
}

/** What a project says about the request. */
export interface OpeningProject {
  live: LivePrompts
  settings: Settings
}

/** Throws if the frame of the body is invalid, and for a prompt that cannot be used. */
export function openBody(
  endpoint: Endpoint,
  body: RequestBody,
  project: OpeningProject,
  findVersion: FindVersion,
): OpenedBody | Promise<OpenedBody> {
  const { promptForm: form } = endpoint
  if (form !== undefined && isJsonObject(body.value)) {
    let named: unknown = body.value
    for (const step of form.steps) named = isJsonObject(named) ? named[step] : undefined
    // A request that names none may say so with null.
    if (named !== undefined && named !== null)
      return openWithPrompt(endpoint, { form, named, body, own: body.value }, project, findVersion)
    if (project.settings.client_prompts === 'required') throw new Refusal('prompt_required')
  }
  const opened = { estimated: endpoint.estimate(body.value, body.bytes), prompt: null }
  // A large one is read further in a turn of its own.
  return body.bytes.length < largeLength ? opened : nextTurn(opened)
}

/** Clients whose types require a model say so that the prompt's counts, or the project's. */
const modelOfPrompt = 'default'

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
  const { template, version, filled } = await fillNamed(form, named, live, findVersion)
  // Reading the body changes its schemas into texts; the template is that of all requests.
  const params = structuredClone(template.params)
  const prompt = { ...template, params, messages: filled.messages, settings }
  const asked = own['model'] === modelOfPrompt ? { ...own, model: undefined } : own
  const dropsInstructions = checkOwnPart(
    asked,
    settings,
    form,
    form.write({ metadata: own['metadata'] }, prompt).members,
  )
  const { messages, members } = form.write(dropsInstructions ? withoutInstructions(asked, form.list) : asked, prompt)
  const left = [...(asked === own ? [] : ['model']), ...(dropsInstructions ? findInstructionFields(own) : [])]
  const written = await writeOut(
    body,
    own,
    { list: form.list, messages, dropsInstructions },
    { ...Object.fromEntries(left.map(name => [name, undefined])), ...members },
  )
  return {
    estimated: endpoint.estimate(written.value, written.bytes),
    prompt: { name: template.name, version, texts: filled.texts, body: written },
  }
}

function withoutInstructions(own: JsonObject, list: string): JsonObject {
  const left = new Set(findInstructionFields(own))
  const kept = Object.fromEntries(Object.entries(own).filter(([name]) => !left.has(name)))
  const items = kept[list]
  return Array.isArray(items) ? { ...kept, [list]: items.filter(item => !isInstructionItem(item)) } : kept
}

interface WrittenList {
  list: string
  messages: readonly JsonObject[]
  dropsInstructions: boolean
}

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
  const breathe = () => (bytes.length < largeLength ? undefined : nextTurn())
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
