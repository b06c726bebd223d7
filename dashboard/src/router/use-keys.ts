// The keys that work on every screen.
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { Place } from './place.ts'
import { isSingleKey } from './single-keys.ts'

/** After `g`: where each letter leads, below the address of a project. */
export const goKeys = [
  { letter: 'o', title: 'Overview', path: '' },
  { letter: 'r', title: 'Requests', path: '/requests' },
  { letter: 'u', title: 'Usage and cost', path: '/usage' },
  { letter: 'e', title: 'End users', path: '/end-users' },
  { letter: 'p', title: 'Playground', path: '/playground' },
  { letter: 'k', title: 'API keys', path: '/api-keys' },
  { letter: 's', title: 'Settings', path: '/settings' },
  { letter: 'd', title: 'Deployments', path: '/deployments' },
] as const

const sequenceMs = 1500

export function useKeys({ projectId }: Place, open: (dialog: 'commands' | 'keys') => void): void {
  const navigate = useNavigate()
  useEffect(() => {
    let goPressedAt = Number.NEGATIVE_INFINITY
    const press = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
        event.preventDefault()
        // A dialog that asks something stays.
        if (document.querySelector('dialog[open]') === null) open('commands')
        return
      }
      if (!isSingleKey(event)) return
      if (event.key === '?') open('keys')
      const target = goKeys.find(({ letter }) => letter === event.key)
      if (target !== undefined && projectId !== null && event.timeStamp - goPressedAt < sequenceMs) {
        void navigate({ to: `/app/projects/${projectId}${target.path}` })
      }
      goPressedAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [navigate, open, projectId])
}
