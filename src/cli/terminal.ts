import { readTerminalSettings } from '../config/client.js'
import type { Io } from './io.js'

const WIDTH = 80

type Output = 'stdout' | 'stderr'

/** Returns the width of an output in columns. It comes from the terminal, otherwise from COLUMNS, and defaults to 80. */
export const widthOf = (io: Pick<Io, Output | 'env'>, output: Output): number =>
  io[output].columns || (readTerminalSettings(io.env).columns ?? WIDTH)

/** Returns true if an output is a terminal that supports escape codes. */
export const isSmart = (io: Pick<Io, Output | 'env'>, output: Output): boolean =>
  io[output].isTTY === true && !readTerminalSettings(io.env).isDumb

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const
export type Style = keyof typeof CODES

/** Makes a string safe for a terminal, and styles it if NO_COLOR, FORCE_COLOR and the output allow this. */
export function paint(io: Pick<Io, Output | 'env'>, output: Output, style: Style | undefined, text: string): string {
  if (style === undefined || text === '' || !(readTerminalSettings(io.env).color ?? isSmart(io, output))) return text
  const [on, off] = CODES[style]
  return `\u001b[${on}m${text}\u001b[${off}m`
}
