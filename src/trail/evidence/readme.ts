/** `README.txt` of an archive: for somebody who has never heard of Waymark. */
export function readmeOf(subject: string): string {
  return `Evidence about ${subject}

Cut out of a Waymark record: what was written, by whom, on what grounds, and who decided about it.

Check it
    node verify.mjs                   in this folder, with Node 20 or newer; nothing else, and no network
    node verify.mjs --owner KEY       if you know the owner's public key from its holder: without it, this could be
                                      the evidence of another record of the same look
    node verify.mjs --evidence DIR    of a copy you had before, on this folder, if you do not trust the one in it

What is in it
    evidence.json      what it is about, the record's id and owner key, the commit it was read at
    records.jsonl      the signed records, a line each, as they are stored, in the record's own order
    proofs.json        for each record the path from it to the checkpoint of its log (RFC 9162)
    checkpoints/       the checkpoints of those logs, signed by their keys (C2SP signed notes)
    keys.json          the keys that signed, for people; what counts are the enrolments among the records
    thoughts/          the texts, byte for byte as the last record about each was signed over
    verify.mjs         the program that checks all of this; short enough to be read first

What it shows
    That these keys signed these records, that the keys go back to the owner, that the records stand in the logs, and
    that the texts are the ones signed. It does not show what came later, and not what its maker could not see.
`;
}
