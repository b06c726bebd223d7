// The buttons that zoom a chart, for those who do not drag over it.
import { ChevronLeft, ChevronRight, type LucideIcon, ZoomIn, ZoomOut } from 'lucide-react'
import { Button } from '../button.tsx'
import type { Zoom } from './use-zoom.ts'

export function ZoomTools<Row>({ caption, zoom }: { caption: string; zoom: Zoom<Row> }) {
  const { isZoomed, canZoomIn, zoomIn, move, showAll } = zoom
  return (
    <span className="flex">
      {isZoomed && (
        <>
          <Tool icon={ChevronLeft} label={`${caption}: earlier`} use={() => move(-1)} />
          <Tool icon={ChevronRight} label={`${caption}: later`} use={() => move(1)} />
          <Tool icon={ZoomOut} label={`${caption}: show all`} use={showAll} />
        </>
      )}
      <Tool icon={ZoomIn} label={`${caption}: zoom in`} use={zoomIn} isOff={!canZoomIn} />
    </span>
  )
}

function Tool({
  icon: Icon,
  label,
  use,
  isOff = false,
}: {
  icon: LucideIcon
  label: string
  use: () => void
  isOff?: boolean
}) {
  return (
    <Button
      data-table-tool
      aria-label={label}
      title={label}
      onClick={use}
      disabled={isOff}
      className="border-transparent px-1.5 shadow-none"
    >
      <Icon aria-hidden="true" className="size-4 text-soft" />
    </Button>
  )
}
