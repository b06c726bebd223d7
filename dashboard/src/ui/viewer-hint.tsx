// What a viewer reads in place of what only members and owners may do.

/** `to`: what they would do, such as `change the settings`. */
export function ViewerHint({ to }: { to: string }) {
  return <p className="text-soft">You have the role of a viewer. Ask an owner for the role of a member to {to}.</p>
}
