/** A part of a picture, in its pixels. */
export interface Rectangle {
  x: number
  y: number
  width: number
  height: number
}

/** The shapes to crop to, by width to height; `whole` is that of the picture. */
export const SHAPES = { portrait: 4 / 5, square: 1, wide: 1.91, whole: undefined } as const

export type Shape = keyof typeof SHAPES

/** The choices of a person. Zoom 1 is the largest frame that fits; x and y are from 0 to 1, of the room that there is. */
export interface Framing {
  shape: Shape
  zoom: number
  x: number
  y: number
}

/** Instagram makes a narrower picture wider, and it looks it. */
const WIDTH_MIN = 320
const ZOOM_MAX = 4

interface Size {
  width: number
  height: number
}

/** The largest frame of a shape in a picture. */
function largestFrame({ width, height }: Size, shape: Shape): Size {
  const ratio = SHAPES[shape] ?? width / height
  return width / height > ratio ? { width: height * ratio, height } : { width, height: width / ratio }
}

/** The most that a frame can be made smaller so that what is left is wide enough. */
export const zoomMax = (picture: Size, shape: Shape): number =>
  Math.max(1, Math.min(ZOOM_MAX, largestFrame(picture, shape).width / WIDTH_MIN))

/** The part of the picture that is left. It lies within the picture. */
export function cropOf(picture: Size, { shape, zoom, x, y }: Framing): Rectangle {
  const frame = largestFrame(picture, shape)
  const by = Math.min(Math.max(zoom, 1), zoomMax(picture, shape))
  const [width, height] = [frame.width / by, frame.height / by]
  const roomOf = (whole: number, part: number): number => Math.max(0, whole - part)
  return { x: roomOf(picture.width, width) * within(x), y: roomOf(picture.height, height) * within(y), width, height }
}

export const within = (part: number): number => Math.min(Math.max(part, 0), 1)
