// Says that Sallyport checks a key with its provider, and for how long it has done so.
import { useEffect, useState } from 'react'

interface CheckProgressProps {
  /** The provider's name; null while nothing is checked. */
  name: string | null
}

export function CheckProgress({ name }: CheckProgressProps) {
  return (
    <div role="status" className="empty:-mt-4">
      {name !== null && <Waiting name={name} />}
    </div>
  )
}

/** The seconds are for the eyes: a screen reader would read each of them. */
function Waiting({ name }: { name: string }) {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setSeconds(shown => shown + 1), 1000)
    return () => clearInterval(timer)
  }, [])
  return (
    <p className="text-soft">
      Checking the key with <bdi>{name}</bdi>, which has 10 seconds to answer.{' '}
      <span aria-hidden="true">{seconds} s</span>
    </p>
  )
}
