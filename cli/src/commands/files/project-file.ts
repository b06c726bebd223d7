// A project in a YAML file.
import { readYamlFile, writeYaml, type YamlFile } from './yaml-file.ts'

export interface ProjectFile extends Pick<YamlFile, 'path' | 'fail'> {
  settings?: Record<string, unknown>
  tiers?: unknown[]
  prompts?: unknown[]
}

const sections = { names: ['$schema', 'settings', 'tiers', 'prompts'], called: 'section' }

export function readProjectFile(path: string, environment: Record<string, string | undefined>): ProjectFile {
  const { fields, fail } = readYamlFile(path, environment, sections)
  const { settings, tiers, prompts } = fields as Omit<ProjectFile, 'path' | 'fail'>
  return {
    path,
    ...(settings === undefined || settings === null ? {} : { settings }),
    ...(tiers === undefined || tiers === null ? {} : { tiers }),
    ...(prompts === undefined || prompts === null ? {} : { prompts }),
    fail,
  }
}

export function writeProjectFile(
  schemaUrl: string,
  { settings, tiers, prompts }: { settings: object; tiers: object[]; prompts: object[] },
): string {
  const document = { $schema: schemaUrl, settings, tiers, prompts }
  return `# yaml-language-server: $schema=${schemaUrl}\n${writeYaml(document)}`
}
