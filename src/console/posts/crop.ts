/** A rectangle in the picture, in pixels. */
export interface Rectangle {
  x: number
  y: number
  width: number
  height: number
}

/** Aspect ratios to crop to; `whole` keeps the picture's. */
export const SHAPES = { portrait: 4 / 5, square: 1, wide: 1.91, whole: undefined } as const

export type Shape = keyof typeof SHAPES

/** A person's choices. Zoom 1 is the largest frame that fits; x and y place it within the remaining space, 0 to 1. */
export interface Framing {
  shape: Shape
  zoom: number
  x: number
  y: number
}

/** Instagram enlarges narrower pictures, visibly. */
const WIDTH_MIN = 320
const ZOOM_MAX = 4

interface Size {
  width: number
  height: number
}

/** Returns the largest frame of a shape within a picture. */
function largestFrame({ width, height }: Size, shape: Shape): Size {
  const ratio = SHAPES[shape] ?? width / height
  return width / height > ratio ? { width: height * ratio, height } : { width, height: width / ratio }
}

/** Returns the maximum zoom that leaves the frame wide enough. */
export const zoomMax = (picture: Size, shape: Shape): number =>
  Math.max(1, Math.min(ZOOM_MAX, largestFrame(picture, shape).width / WIDTH_MIN))

/** Returns the part of the picture to keep, always within its bounds. */
export function cropOf(picture: Size, { shape, zoom, x, y }: Framing): Rectangle {
  const frame = largestFrame(picture, shape)
  const by = Math.min(Math.max(zoom, 1), zoomMax(picture, shape))
  const [width, height] = [frame.width / by, frame.height / by]
  const roomOf = (whole: number, part: number): number => Math.max(0, whole - part)
  return { x: roomOf(picture.width, width) * within(x), y: roomOf(picture.height, height) * within(y), width, height }
}

export const within = (part: number): number => Math.min(Math.max(part, 0), 1)
