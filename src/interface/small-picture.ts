/** A small picture has the name of its file and this behind it. */
export const SMALL_ENDING = '.small.jpg'

/** Twice what a list shows, for dense screens: its longer side, in pixels. */
export const SMALL_SIDE_MAX = 640

/** Lists show dozens of them. */
export const SMALL_BYTES_MAX = 100 * 1024
