// A project in a YAML file.
import type { Draft, DraftDocument } from './draft.ts'
import { readYamlFile, referTo, writeYaml, type YamlFile } from './yaml-file.ts'

type Section = Exclude<keyof DraftDocument, 'prune'>

export type ProjectFile = Pick<YamlFile, 'path' | 'fail'> & { document: DraftDocument }

const names = [
  'name',
  'managed_by',
  'settings',
  'tiers',
  'prompts',
  'webhooks',
  'end_user_budgets',
] as const satisfies readonly Section[]
const sections = { names: ['$schema', ...names], called: 'section' }

interface Reading {
  environment: Record<string, string | undefined>
  /** Whether a variable that is not set leaves out a secret: a comparison needs none. */
  isSecretOptional?: boolean
}

/** A section that is empty says nothing; that nothing manages the project is said by null. */
export function readProjectFile(path: string, { environment, isSecretOptional = false }: Reading): ProjectFile {
  const optional = isSecretOptional ? ['secret'] : []
  const { fields, fail } = readYamlFile(path, { environment, optional }, sections)
  const given = names.filter(name => fields[name] !== undefined && (fields[name] !== null || name === 'managed_by'))
  return { path, document: Object.fromEntries(given.map(name => [name, fields[name]])) as DraftDocument, fail }
}

export type WrittenProject = Omit<Draft, 'etag'>

export function writeProjectFile(schemaUrl: string, { managed_by, webhooks, ...project }: WrittenProject): string {
  const managed = managed_by === null ? {} : { managed_by }
  const { name, settings, tiers, prompts, end_user_budgets } = project
  const document = {
    $schema: schemaUrl,
    name,
    ...managed,
    settings,
    tiers,
    prompts,
    webhooks: nameSecrets(webhooks),
    ...(end_user_budgets === undefined ? {} : { end_user_budgets }),
  }
  return `# yaml-language-server: $schema=${schemaUrl}\n${writeYaml(document)}`
}

/** Each in a variable of its own, named after the address, so that it is the same in every export. */
function nameSecrets(webhooks: WrittenProject['webhooks']) {
  const taken = new Set<string>()
  return webhooks.map(({ url, types }) => {
    const { host, pathname } = new URL(url)
    const base = `WEBHOOK_SECRET_${`${host}${pathname}`.replace(/[^A-Za-z0-9]+/g, '_').replace(/_$/, '')}`.toUpperCase()
    let name = base
    for (let number = 2; taken.has(name); number++) name = `${base}_${number}`
    taken.add(name)
    return { url, types, secret: referTo(name) }
  })
}
