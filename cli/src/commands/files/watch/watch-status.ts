// The state of what is watched, as metrics in the text format of Prometheus, and as readiness.
import { once } from 'node:events'
import { createServer } from 'node:http'

interface ProjectStatus {
  isLeader: boolean
  isInSync: boolean
  /** Unix seconds; 0 before the first success. */
  lastSuccess: number
  applied: number
  failed: number
}

const metrics = {
  leader: { type: 'gauge', help: 'Whether this watcher holds the lease on the file', of: one => Number(one.isLeader) },
  in_sync: { type: 'gauge', help: 'Whether the project is as its file says', of: one => Number(one.isInSync) },
  last_success_timestamp_seconds: {
    type: 'gauge',
    help: 'When the file was last compared or applied without an error',
    of: one => one.lastSuccess,
  },
  applied_total: { type: 'counter', help: 'How often the file changed the project', of: one => one.applied },
  failed_total: { type: 'counter', help: 'How often the file could not be compared or applied', of: one => one.failed },
} as const satisfies Record<string, { type: string; help: string; of: (one: ProjectStatus) => number }>

export type WatchStatus = ReturnType<typeof createWatchStatus>

export function createWatchStatus() {
  const projects = new Map<string, ProjectStatus>()
  return {
    of(project: string): ProjectStatus {
      const known = projects.get(project)
      if (known !== undefined) return known
      const status = { isLeader: false, isInSync: false, lastSuccess: 0, applied: 0, failed: 0 }
      projects.set(project, status)
      return status
    },
    /** Those without a file any more are not shown. */
    keepOnly(names: readonly string[]): void {
      for (const name of projects.keys()) if (!names.includes(name)) projects.delete(name)
    },
    render(): string {
      const lines = Object.entries(metrics).flatMap(([name, { type, help, of }]) => [
        `# HELP sallyport_watch_${name} ${help}`,
        `# TYPE sallyport_watch_${name} ${type}`,
        ...[...projects].map(
          ([project, one]) => `sallyport_watch_${name}{project=${JSON.stringify(project)}} ${of(one)}`,
        ),
      ])
      return `${lines.join('\n')}\n`
    },
  }
}

/** `/metrics`, and `/healthz` for as long as the process runs. Returns what closes it. */
export async function serveStatus(status: WatchStatus, port: number): Promise<() => void> {
  const server = createServer(({ url }, response) => {
    const body = url === '/metrics' ? status.render() : url === '/healthz' ? 'ok\n' : null
    response.writeHead(body === null ? 404 : 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
    response.end(body ?? 'not found\n')
  })
  server.listen(port)
  await once(server, 'listening')
  return () => {
    server.close()
    server.closeAllConnections()
  }
}
