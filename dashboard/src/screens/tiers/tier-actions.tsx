// Edits, moves and deletes a tier.

import { Link } from '@tanstack/react-router'
import { refreshSettings } from '../../api/draft.ts'
import { request } from '../../api/management.ts'
import { ActionButton, Button, buttonClass } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { useToast } from '../../ui/toast.tsx'
import type { Tier } from './queries.ts'

interface TierActionsProps {
  projectId: string
  tier: Tier
  /** All tiers, in their order. */
  tiers: readonly Tier[]
}

export function TierActions({ projectId, tier, tiers }: TierActionsProps) {
  return (
    <div className="flex flex-wrap gap-2 whitespace-nowrap">
      <Link
        to="/app/projects/$projectId/tiers/$tierId"
        params={{ projectId, tierId: tier.id }}
        className={buttonClass()}
        aria-label={`Edit ${tier.name}`}
      >
        Edit
      </Link>
      {tiers.length > 1 && <Move projectId={projectId} tier={tier} tiers={tiers} />}
      <Delete projectId={projectId} tier={tier} />
    </div>
  )
}

function Move({ projectId, tier, tiers }: TierActionsProps) {
  const position = tiers.findIndex(({ id }) => id === tier.id)
  const move = (to: number) => reorder(projectId, moved(tiers, position, to))
  return (
    <>
      <ActionButton aria-label={`Move ${tier.name} up`} disabled={position === 0} run={() => move(position - 1)}>
        ↑
      </ActionButton>
      <ActionButton
        aria-label={`Move ${tier.name} down`}
        disabled={position === tiers.length - 1}
        run={() => move(position + 1)}
      >
        ↓
      </ActionButton>
    </>
  )
}

function moved(tiers: readonly Tier[], from: number, to: number): Tier[] {
  const others = tiers.filter((_tier, position) => position !== from)
  return [...others.slice(0, to), ...tiers.slice(from, from + 1), ...others.slice(to)]
}

/** The API sorts by `sort_order`, and tiers with the same one by age. */
async function reorder(projectId: string, tiers: readonly Tier[]): Promise<void> {
  try {
    for (const [position, { id, sort_order }] of tiers.entries()) {
      if (sort_order === position) continue
      const path = { projectId, tierId: id }
      await request('PUT', '/auth/v1/projects/{projectId}/tiers/{tierId}', { path, body: { sort_order: position } })
    }
  } finally {
    await refreshSettings(projectId)
  }
}

function Delete({ projectId, tier }: Omit<TierActionsProps, 'tiers'>) {
  const confirm = useConfirm()
  const toast = useToast()
  const ask = () =>
    confirm({
      title: 'Delete the tier?',
      body: (
        <p>
          Until the next deploy nothing changes. After it, tokens that name <bdi>“{tier.name}”</bdi> keep its settings
          for a day; then their end users get those of the project.
        </p>
      ),
      action: 'Delete tier',
      run: async () => {
        const path = { projectId, tierId: tier.id }
        await request('DELETE', '/auth/v1/projects/{projectId}/tiers/{tierId}', { path })
        await refreshSettings(projectId)
        toast.show('The tier is deleted from the draft. What is live changes with the next deploy.')
      },
    })
  return (
    <Button aria-label={`Delete ${tier.name}`} onClick={ask}>
      Delete
    </Button>
  )
}
