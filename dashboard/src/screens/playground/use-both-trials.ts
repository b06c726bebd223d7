// The two columns of the playground, which run together or one of them.
import type { Question } from './use-trial.ts'
import { useTrial } from './use-trial.ts'

export type Runs = 'both' | 'draft' | 'deployed'

export function useBothTrials(runs: Runs) {
  const draft = useTrial()
  const deployed = useTrial()
  const chosen = { draft: runs === 'deployed' ? null : draft, deployed: runs === 'draft' ? null : deployed }
  const isRunning = [draft, deployed].some(({ trial }) => trial.state === 'running')
  return {
    draft: draft.trial,
    deployed: deployed.trial,
    /** Null if nothing runs. */
    stop: isRunning
      ? () => {
          draft.stop()
          deployed.stop()
        }
      : null,
    /** Whether each column that runs has an answer to reply to. */
    canReply: Object.values(chosen).every(one => one === null || one.trial.state === 'answered'),
    /** A reply continues the conversation of each column. */
    async run(question: Omit<Question, 'use'>, isReply: boolean): Promise<void> {
      const start = isReply ? 'reply' : 'start'
      await Promise.all([
        chosen.draft?.[start]({ ...question, use: 'draft' }),
        chosen.deployed?.[start]({ ...question, use: 'deployed' }),
      ])
    },
  }
}
