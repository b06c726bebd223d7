// Wraps a job and records the outcome of each of its runs.
import type { Metrics } from '../domain/metrics.ts'
import type { Job } from './job.ts'

export function measureJob(job: Job, metrics: Metrics): Job {
  return {
    ...job,
    async run(world, signal) {
      const startedAt = performance.now()
      const tell = (outcome: 'done' | 'failed') =>
        metrics.jobEnded(job.name, signal.aborted ? 'cut_short' : outcome, performance.now() - startedAt)
      try {
        await job.run(world, signal)
        tell('done')
      } catch (error) {
        tell('failed')
        throw error
      }
    },
  }
}
