/**
 * QR codes of ISO/IEC 18004, of what one on a screen needs: bytes, and the lowest level of correction (L). A library that
 * has the other modes too is three times as large.
 */

/** Per version: the bytes of correction in each block, and the blocks (table 9). */
const CORRECTION = [
  ...[7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28],
  ...[28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30],
]
const BLOCKS = [
  ...[1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8],
  ...[8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25],
]

/** A module is dark, light, or still free. */
type Modules = (boolean | undefined)[][]

/** Row by row, without the frame; of any mask but the best one if it is given. */
export function encodeQr(text: string, mask?: number): boolean[][] {
  const bytes = [...new TextEncoder().encode(text)]
  const version =
    CORRECTION.findIndex((_, index) => 4 + lengthBits(index + 1) + bytes.length * 8 <= room(index + 1) * 8) + 1
  if (version === 0) throw new Error(`${bytes.length} bytes are too many for a code`)
  const codewords = toCodewords(bytes, version)
  if (mask !== undefined) return draw(version, codewords, mask)
  const masked = MASKS.map((_, number) => draw(version, codewords, number))
  const penalties = masked.map(penaltyOf)
  return masked[penalties.indexOf(Math.min(...penalties))]!
}

const lengthBits = (version: number): number => (version < 10 ? 8 : 16)
const sizeOf = (version: number): number => version * 4 + 17
const alignments = (version: number): number => (version === 1 ? 0 : Math.floor(version / 7) + 2)

/** All bytes of a code: the modules that no pattern takes. */
function allBytes(version: number): number {
  const many = alignments(version)
  const aligning = many === 0 ? 0 : (25 * many - 10) * many - 55
  return ((16 * version + 128) * version + 64 - aligning - (version < 7 ? 0 : 36)) >> 3
}

/** The bytes that are not for correction. */
const room = (version: number): number => allBytes(version) - CORRECTION[version - 1]! * BLOCKS[version - 1]!

const toBits = (value: number, length: number): string => value.toString(2).padStart(length, '0')

/** The bytes with their head and padding, in blocks with their correction, interleaved. */
function toCodewords(bytes: number[], version: number): number[] {
  const bits = `0100${toBits(bytes.length, lengthBits(version))}${bytes.map((byte) => toBits(byte, 8)).join('')}0000`
  const data = bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2))
  for (let pad = 0xec; data.length < room(version); pad ^= 0xec ^ 0x11) data.push(pad)
  const [correction, many, all] = [CORRECTION[version - 1]!, BLOCKS[version - 1]!, allBytes(version)]
  const shorter = many - (all % many)
  const length = Math.floor(all / many) - correction
  const blocks = Array.from({ length: many }, (_, index) => data.splice(0, length + Number(index >= shorter)))
  const corrections = blocks.map((block) => correctionOf(block, correction))
  return [blocks, corrections].flatMap((rows) =>
    Array.from({ length: Math.max(...rows.map((row) => row.length)) }, (_, index) =>
      rows.flatMap((row) => row.slice(index, index + 1)),
    ).flat(),
  )
}

/** Multiplies modulo x⁸ + x⁴ + x³ + x² + 1. */
function multiply(a: number, b: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit -= 1) product = (product << 1) ^ ((product >> 7) * 0x11d) ^ (((b >> bit) & 1) * a)
  return product
}

/** The remainder of Reed and Solomon. */
function correctionOf(block: number[], length: number): number[] {
  const divisor = Array<number>(length).fill(0).with(-1, 1)
  for (let power = 0, root = 1; power < length; power += 1, root = multiply(root, 2)) {
    for (let at = 0; at < length; at += 1) divisor[at] = multiply(divisor[at]!, root) ^ (divisor[at + 1] ?? 0)
  }
  let rest = Array<number>(length).fill(0)
  for (const byte of block) {
    const factor = byte ^ rest[0]!
    rest = divisor.map((one, at) => (rest[at + 1] ?? 0) ^ multiply(one, factor))
  }
  return rest
}

const MASKS: ((x: number, y: number) => number)[] = [
  (x, y) => (x + y) % 2,
  (_, y) => y % 2,
  (x) => x % 3,
  (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
]

function draw(version: number, codewords: number[], mask: number): boolean[][] {
  const modules = drawPatterns(version, mask)
  const size = modules.length
  const bits = codewords.map((codeword) => toBits(codeword, 8)).join('')
  let next = 0
  // In pairs of columns from the right, up and down in turn, past the column of the timing.
  for (let right = size - 1; right > 0; right -= right === 8 ? 3 : 2) {
    const upward = ((right + 1) & 2) === 0
    for (let step = 0; step < size * 2; step += 1) {
      const [x, down] = [right - (step % 2), step >> 1]
      const y = upward ? size - 1 - down : down
      if (modules[y]![x] !== undefined) continue
      modules[y]![x] = (bits[next] === '1') !== (MASKS[mask]!(x, y) === 0)
      next += 1
    }
  }
  return modules as boolean[][]
}

/** What is the same in each code of a version and a mask. */
function drawPatterns(version: number, mask: number): Modules {
  const size = sizeOf(version)
  const modules: Modules = Array.from({ length: size }, () => Array(size).fill(undefined))
  const square = (atX: number, atY: number, reach: number, light: number[]): void => {
    for (let y = -reach; y <= reach; y += 1) {
      for (let x = -reach; x <= reach; x += 1) {
        const row = modules[atY + y]
        if (row !== undefined && atX + x >= 0 && atX + x < size)
          row[atX + x] = !light.includes(Math.max(Math.abs(x), Math.abs(y)))
      }
    }
  }
  for (let at = 0; at < size; at += 1) modules[6]![at] = modules[at]![6] = at % 2 === 0
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    square(x, y, 4, [2, 4])
  const many = alignments(version)
  const apart = Math.floor((version * 8 + many * 3 + 5) / (many * 4 - 4)) * 2
  const places = Array.from({ length: many }, (_, index) => (index === 0 ? 6 : size - 7 - (many - 1 - index) * apart))
  const last = places.at(-1)
  for (const x of places) {
    for (const y of places) if (!((x === 6 && (y === 6 || y === last)) || (x === last && y === 6))) square(x, y, 2, [1])
  }
  if (version >= 7) {
    for (const [index, bit] of protect(version, 12, 0x1f25).entries()) {
      const [a, b] = [size - 11 + (index % 3), Math.floor(index / 3)]
      modules[a]![b] = modules[b]![a] = bit
    }
  }
  for (const [index, bit] of protect(8 + mask, 10, 0x537, 0x5412).entries()) {
    const row = index < 6 ? index : index < 8 ? index + 1 : size - 15 + index
    const column = index < 8 ? size - 1 - index : index === 8 ? 7 : 14 - index
    modules[row]![8] = modules[8]![column] = bit
  }
  modules[size - 8]![8] = true
  return modules
}

/** The bits of a value and those that protect it, the last one first. */
function protect(value: number, length: number, divisor: number, flip = 0): boolean[] {
  let rest = value
  for (let bit = 0; bit < length; bit += 1) rest = (rest << 1) ^ ((rest >> (length - 1)) * divisor)
  const bits = ((value << length) | rest) ^ flip
  return Array.from({ length: length === 12 ? 18 : 15 }, (_, bit) => ((bits >> bit) & 1) === 1)
}

/** Counts what makes a code hard to read (section 7.8.3). */
function penaltyOf(modules: boolean[][]): number {
  const lines = [modules, modules.map((_, x) => modules.map((row) => row[x]))].flatMap((rows) =>
    rows.map((row) => row.map(Number).join('')),
  )
  const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0)
  const runs = lines.flatMap((line) => line.match(/0{5,}|1{5,}/g) ?? []).map((run) => run.length - 2)
  const finders = lines.flatMap((line) => `0000${line}0000`.match(/(?=010111010000|000010111010)/g) ?? []).length
  const isBlock = (x: number, y: number): boolean =>
    [modules[y]![x + 1], modules[y + 1]?.[x], modules[y + 1]?.[x + 1]].every((other) => other === modules[y]![x])
  const blocks = sum(modules.map((row, y) => row.filter((_, x) => isBlock(x, y)).length))
  const share = modules.flat().filter(Boolean).length / modules.length ** 2
  return sum(runs) + finders * 40 + blocks * 3 + Math.floor(Math.abs(share - 0.5) * 20) * 10
}
