// Wraps a job and records the outcome of each of its runs.
import type { Metrics } from '../domain/metrics.ts'
import type { Job } from './job.ts'

export function measureJob(job: Job, metrics: Metrics): Job {
  return {
    ...job,
    async run(dependencies, signal) {
      const startedAt = performance.now()
      const record = (outcome: 'done' | 'failed') =>
        metrics.jobEnded(job.name, signal.aborted ? 'cut_short' : outcome, performance.now() - startedAt)
      try {
        await job.run(dependencies, signal)
        record('done')
      } catch (error) {
        record('failed')
        throw error
      }
    },
  }
}
