// Finds the config of the project whose host was called, and names the project in the request's log line.

import { Refusal } from '../domain/errors.ts'
import type { Incoming } from '../http/incoming.ts'
import type { ConfigCache } from './config-cache.ts'
import type { ProjectFinder } from './find-project.ts'
import type { ProjectConfig } from './project-config.ts'
import type { RestrictionState } from './restrictions.ts'

interface ConfigSources {
  projects: ProjectFinder
  configs: ConfigCache
  restrictions: Pick<RestrictionState, 'get'>
}

/** Null if `getConfig` must read it. */
export function findKnownConfig(
  { projects, configs }: ConfigSources,
  { host, logContext }: Incoming,
): ProjectConfig | null {
  const project = host.kind === 'project' ? projects.known(host.slug) : null
  if (project === null) return null
  logContext.projectId = project.projectId
  logContext.tenantId = project.tenantId
  return configs.find(project.projectId)
}

export async function getConfig(
  { projects, configs, restrictions }: ConfigSources,
  { host, logContext }: Incoming,
): Promise<ProjectConfig> {
  if (host.kind !== 'project') throw new Refusal('unknown_host')
  const project = projects.known(host.slug) ?? (await projects.get(host.slug))
  logContext.projectId = project.projectId
  logContext.tenantId = project.tenantId
  try {
    // Both at once, because the next steps need both.
    const [config] = await Promise.all([configs.get(project), restrictions.get(project)])
    return config
  } catch (error) {
    // The project was deleted after its slug was cached.
    if (error instanceof Refusal && error.code === 'unknown_host') projects.forget(host.slug)
    throw error
  }
}
