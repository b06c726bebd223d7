// A project in a YAML file.
import { readYamlFile, writeYaml, type YamlFile } from './yaml-file.ts'

export interface ProjectFile extends Pick<YamlFile, 'path' | 'fail'> {
  name?: unknown
  managed_by?: unknown
  settings?: Record<string, unknown>
  tiers?: unknown[]
  prompts?: unknown[]
}

const sections = { names: ['$schema', 'name', 'managed_by', 'settings', 'tiers', 'prompts'], called: 'section' }

export function readProjectFile(path: string, environment: Record<string, string | undefined>): ProjectFile {
  const { fields, fail } = readYamlFile(path, environment, sections)
  const { name, managed_by, settings, tiers, prompts } = fields as Omit<ProjectFile, 'path' | 'fail'>
  return {
    path,
    ...(name === undefined ? {} : { name }),
    // Null says something: nothing manages the project any more.
    ...(managed_by === undefined ? {} : { managed_by }),
    ...(settings === undefined || settings === null ? {} : { settings }),
    ...(tiers === undefined || tiers === null ? {} : { tiers }),
    ...(prompts === undefined || prompts === null ? {} : { prompts }),
    fail,
  }
}

interface WrittenProject {
  name: string
  managed_by: 'file' | null
  settings: object
  tiers: object[]
  prompts: object[]
}

export function writeProjectFile(
  schemaUrl: string,
  { name, managed_by, settings, tiers, prompts }: WrittenProject,
): string {
  const managed = managed_by === null ? {} : { managed_by }
  const document = { $schema: schemaUrl, name, ...managed, settings, tiers, prompts }
  return `# yaml-language-server: $schema=${schemaUrl}\n${writeYaml(document)}`
}
