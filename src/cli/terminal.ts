import { readTerminalSettings } from '../config/client.js'
import type { Io } from './io.js'

const WIDTH = 80

type Output = 'stdout' | 'stderr'

/** The columns of an output: as the terminal says, else COLUMNS, else 80. */
export const widthOf = (io: Pick<Io, Output | 'env'>, output: Output): number =>
  io[output].columns || (readTerminalSettings(io.env).columns ?? WIDTH)

/** True when an output is a terminal that knows escape codes. */
export const isSmart = (io: Pick<Io, Output | 'env'>, output: Output): boolean =>
  io[output].isTTY === true && !readTerminalSettings(io.env).isDumb

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const
export type Style = keyof typeof CODES

/** A text that is safe for a terminal in a style, where NO_COLOR, FORCE_COLOR and the output allow one. */
export function paint(io: Pick<Io, Output | 'env'>, output: Output, style: Style | undefined, text: string): string {
  if (style === undefined || text === '' || !(readTerminalSettings(io.env).color ?? isSmart(io, output))) return text
  const [on, off] = CODES[style]
  return `\u001b[${on}m${text}\u001b[${off}m`
}
