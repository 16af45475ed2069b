// A stored film keeps exactly what these lists name, box by box. Everything else is blanked, because devices write the
// place, a serial number or a preview under names of their own. docs/media.md shows these lists.

/** The boxes that say where the pictures and sounds of a film are and how they are shown. */
export const KEPT_BOXES: Readonly<Record<string, readonly string[]>> = {
  file: ['ftyp', 'styp', 'moov', 'moof', 'mdat', 'sidx', 'mfra'],
  moov: ['mvhd', 'trak', 'mvex'],
  trak: ['tkhd', 'tapt', 'edts', 'mdia'],
  tapt: ['clef', 'prof', 'enof'],
  edts: ['elst'],
  mdia: ['mdhd', 'hdlr', 'minf'],
  minf: ['vmhd', 'smhd', 'hdlr', 'dinf', 'stbl'],
  dinf: ['dref'],
  stbl: 'stsd stts ctts cslg stsc stsz stz2 stco co64 stss stps stsh sdtp stdp padb sgpd sbgp subs'.split(' '),
  mvex: ['mehd', 'trex'],
  moof: ['mfhd', 'traf'],
  traf: ['tfhd', 'tfdt', 'trun', 'sdtp', 'sgpd', 'sbgp', 'subs'],
  mfra: ['tfra', 'mfro'],
}

/** The parts of a codec's description that decoders need, and those for color, shape, channels and spatial view. */
export const KEPT_OF_CODEC: readonly string[] = [
  ...'avcC avcE svcC mvcC hvcC hvcE lhvC vvcC evcC av1C vpcC dvcC dvvC dvwC esds d263 glbl'.split(' '),
  ...'colr gama fiel pasp clap btrt mdcv clli SmDm CoLL amve st3d sv3d vexu hfov SA3D SAND'.split(' '),
  ...'wave chan chnl srat pcmC enda damr dac3 dec3 dac4 dmlp dOps dfLa alac mhaC mhaP ddts udts'.split(' '),
]

/** The tracks that are kept. Others are subtitles, clocks and device notes, some with the location for each second. */
export const KEPT_TRACKS: readonly string[] = ['vide', 'soun']
