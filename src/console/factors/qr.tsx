import { encode } from 'uqr'
import { factors as words } from '../words.ts'

/**
 * The code is dark on light in both colour schemes, because many apps cannot read the inverse. The four-module margin is
 * part of it.
 */
export function Qr({ text }: { text: string }) {
  const { data, size } = encode(text, { ecc: 'L', border: 4 })
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={words.qr} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
