// The product's mark: a gate with the way through it.

export function Logo() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className="size-5 shrink-0">
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <g fill="none" strokeLinecap="round" strokeLinejoin="round" className="stroke-on-accent">
        <path d="M8 25V14a8 8 0 0 1 16 0v11" strokeWidth="3" />
        <path d="M16 25v-9m-3.5 3.5L16 16l3.5 3.5" strokeWidth="2.6" />
      </g>
    </svg>
  )
}
