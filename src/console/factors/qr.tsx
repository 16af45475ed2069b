import { encodeQr } from './qr-code.ts'
import { words } from './words.ts'

/**
 * The code is dark on light in both colour schemes, because many apps read no other. Its frame of four modules belongs
 * to it.
 */
export function Qr({ text }: { text: string }) {
  const rows = encodeQr(text)
  const path = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + 4} ${y + 4}h1v1h-1z` : ''))).join('')
  const size = rows.length + 8
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={words.qr} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
