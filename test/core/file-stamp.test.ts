import { renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { absent, stampOf } from '../../src/core/file-stamp.ts'
import { newFolder } from '../fakes/folder.ts'

t.test('a stamp differs whenever the file may have another content', (t) => {
  const dir = newFolder(t)
  const file = join(dir, 'file')
  const stamps: string[] = [stampOf(file)]
  t.equal(stamps[0], absent, 'without a file')
  const changed = (how: string, change: () => void): void => {
    change()
    const stamp = stampOf(file)
    t.notOk(stamps.includes(stamp), how)
    t.equal(stampOf(file), stamp, `${how}, and it stays`)
    stamps.push(stamp)
  }
  const hour = new Date('2026-01-01T00:00:00Z')
  const write = (name: string, text: string): void => {
    writeFileSync(name, text)
    utimesSync(name, hour, hour)
  }
  changed('made', () => write(file, 'one'))
  changed('written with its size and its time of before', () => write(file, 'two'))
  changed('replaced by a file of its size and time', () => {
    write(`${file}.new`, 'six')
    renameSync(`${file}.new`, file)
  })
  changed('a link to another file', () => {
    write(join(dir, 'other'), 'ten')
    rmSync(file)
    symlinkSync(join(dir, 'other'), file)
  })
  changed('its target is written', () => write(join(dir, 'other'), 'due'))
  rmSync(join(dir, 'other'))
  t.equal(stampOf(file), absent, 'the target is gone')
  rmSync(file)
  symlinkSync(file, file)
  t.match(stampOf(file), /ELOOP/, 'a circle of links throws nothing')
  t.end()
})
