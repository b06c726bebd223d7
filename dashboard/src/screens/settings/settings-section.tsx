// One section of the settings: its title and what it decides beside its fields.
import type { ReactNode } from 'react'

interface SettingsSectionProps {
  /** In addresses, behind `#`. */
  id: string
  title: string
  lead: string
  children: ReactNode
}

export function SettingsSection({ id, title, lead, children }: SettingsSectionProps) {
  return (
    <section
      id={id}
      className="grid gap-x-10 gap-y-4 border-t border-line pt-6 pb-2 lg:grid-cols-[14rem_minmax(0,1fr)]"
    >
      <div className="flex flex-col gap-1">
        <h2 className="text-base font-semibold">{title}</h2>
        <p className="text-soft">{lead}</p>
      </div>
      <div className="flex min-w-0 flex-col gap-4">{children}</div>
    </section>
  )
}
