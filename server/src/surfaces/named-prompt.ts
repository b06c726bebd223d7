// Finds the prompt that a request names, and puts the request's values into it.

import { Refusal } from '../domain/errors.ts'
import { isJsonObject } from '../domain/json-object.ts'
import { type FilledTemplate, fillTemplate } from '../domain/prompts/fill-template.ts'
import type { NamedTemplate } from '../domain/prompts/template.ts'
import type { LiveConfig } from '../domain/settings/live-config.ts'

/** The prompts of an old deployment; null if the project has no such deployment. */
export type FindVersion = (projectId: string, deployment: number) => Promise<readonly NamedTemplate[] | null>

export type LivePrompts = Pick<LiveConfig, 'project_id' | 'prompts' | 'deployment'>

/** Where a prompt is named. */
export interface NamingPlace {
  path: string
  /** Throws a 400 in the words of whoever named it. */
  refuse(path: string, message: string): never
}

interface FilledNamed {
  template: NamedTemplate
  /** The deployment that it is of; null for one of the draft. */
  version: number | null
  filled: FilledTemplate
}

/** Throws if there is no such prompt, and for values that it does not take. */
export async function fillNamed(
  place: NamingPlace,
  named: unknown,
  live: LivePrompts,
  findVersion: FindVersion,
): Promise<FilledNamed> {
  const reference = readReference(place, named)
  const template = await findTemplate(live, reference, findVersion)
  const filled = fillTemplate(template, reference.variables, `${place.path}.variables`)
  if (!filled.ok) return refuseWhere(place, filled.message)
  return { template, version: reference.version ?? live.deployment, filled: filled.value }
}

interface Reference {
  id: string
  version: number | null
  variables: unknown
}

const referenceFields = ['id', 'version', 'variables']
const maxDeployment = 2_147_483_647

/** OpenAI's clients write the version as a text. */
function readReference(place: NamingPlace, named: unknown): Reference {
  if (!isJsonObject(named)) return place.refuse(place.path, 'must be an object')
  const { id, version = null, variables = null } = named
  const unknown = Object.keys(named).find(name => !referenceFields.includes(name))
  if (unknown !== undefined) place.refuse(place.path, `has an unknown field: ${unknown.slice(0, 100).toWellFormed()}`)
  if (typeof id !== 'string' || id === '') return place.refuse(`${place.path}.id`, 'must be the name of a prompt')
  if (version === null) return { id, version, variables }
  const number = typeof version === 'string' && /^[1-9]\d{0,9}$/.test(version) ? Number(version) : version
  const isNumber = typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= maxDeployment
  if (!isNumber) return place.refuse(`${place.path}.version`, 'must be the number of a deployment')
  return { id, version: number, variables }
}

async function findTemplate(
  live: LivePrompts,
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
function refuseWhere(place: NamingPlace, message: string): never {
  const [path = place.path] = message.split(' ', 1)
  return place.refuse(path, message.slice(path.length + 1))
}
