// A reader of logs for the tests, of nothing but Go's own note and tlog packages (golang.org/x/mod/sumdb).
//
//	reader FOLDER < questions
//
// FOLDER is what `tallystick log export` has written. Each line on standard input is a JSON object; the answer to each
// is a line with "ok" or what is wrong. Go's checksum database names its tiles a little differently from tlog-tiles
// (tile/8/L/N, with the data tiles under tile/8/data), so names are translated here, and nothing else is.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

// question says what to check: the log's checkpoint and all tiles, or a proof that was made elsewhere.
type question struct {
	What   string   `json:"what"` // "log", "record" or "tree"
	Vkey   string   `json:"vkey"`
	Leaves [][]byte `json:"leaves"`
	Leaf   []byte   `json:"leaf"`
	Index  int64    `json:"index"`
	Hashes [][]byte `json:"hashes"`
	Note   []byte   `json:"note"`
	Old    int64    `json:"old"`
	Root   []byte   `json:"root"` // of the old tree
}

// static reads the tiles of a folder as tlog-tiles names them.
type static struct{ folder string }

func (static) Height() int { return height }

func (static) SaveTiles([]tlog.Tile, [][]byte) {}

func (s static) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var found [][]byte
	for _, tile := range tiles {
		data, err := os.ReadFile(filepath.Join(s.folder, name(tile)))
		if err != nil {
			return nil, err
		}
		found = append(found, data)
	}
	return found, nil
}

func name(tile tlog.Tile) string {
	path := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
	return strings.Replace(path, "tile/data/", "tile/entries/", 1)
}

// tree opens a checkpoint with the log's verifier key.
func tree(vkey string, data []byte) (tlog.Tree, error) {
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		return tlog.Tree{}, err
	}
	opened, err := note.Open(data, note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, err
	}
	lines := strings.Split(opened.Text, "\n") // origin, size, root
	if len(lines) != 4 || lines[0] != verifier.Name() {
		return tlog.Tree{}, fmt.Errorf("the checkpoint has other lines: %q", opened.Text)
	}
	var size int64
	if _, err := fmt.Sscan(lines[1], &size); err != nil {
		return tlog.Tree{}, err
	}
	root, err := base64.StdEncoding.DecodeString(lines[2])
	if err != nil {
		return tlog.Tree{}, err
	}
	found := tlog.Tree{N: size}
	copy(found.Hash[:], root)
	return found, nil
}

func hashes(raw [][]byte) []tlog.Hash {
	var found []tlog.Hash
	for _, each := range raw {
		var hash tlog.Hash
		copy(hash[:], each)
		found = append(found, hash)
	}
	return found
}

// checkLog reads checkpoint, hash tiles and entry bundles, and proves every leaf and every earlier size from the tiles.
func checkLog(folder string, asked question) error {
	data, err := os.ReadFile(filepath.Join(folder, "checkpoint"))
	if err != nil {
		return err
	}
	found, err := tree(asked.Vkey, data)
	if err != nil {
		return err
	}
	if found.N != int64(len(asked.Leaves)) {
		return fmt.Errorf("%d leaves, not %d", found.N, len(asked.Leaves))
	}
	if found.N == 0 {
		return nil
	}
	reader := tlog.TileHashReader(found, static{folder})
	if root, err := tlog.TreeHash(found.N, reader); err != nil || root != found.Hash {
		return fmt.Errorf("the tiles do not have the checkpoint's root: %v", err)
	}
	for index, leaf := range asked.Leaves {
		indexes := []int64{tlog.StoredHashIndex(0, int64(index))}
		if stored, err := reader.ReadHashes(indexes); err != nil || stored[0] != tlog.RecordHash(leaf) {
			return fmt.Errorf("leaf %d has another hash in its tile: %v", index, err)
		}
	}
	for _, index := range []int64{0, found.N / 2, found.N - 1} {
		proof, err := tlog.ProveRecord(found.N, index, reader)
		if err != nil {
			return err
		}
		if err := tlog.CheckRecord(proof, found.N, found.Hash, index, tlog.RecordHash(asked.Leaves[index])); err != nil {
			return fmt.Errorf("leaf %d: %v", index, err)
		}
	}
	for _, old := range []int64{1, (found.N + 1) / 2, found.N} {
		before, err := tlog.TreeHash(old, reader)
		if err != nil {
			return err
		}
		proof, err := tlog.ProveTree(found.N, old, reader)
		if err != nil {
			return err
		}
		if err := tlog.CheckTree(proof, found.N, found.Hash, old, before); err != nil {
			return fmt.Errorf("size %d: %v", old, err)
		}
	}
	return checkBundles(folder, found.N, asked.Leaves)
}

func checkBundles(folder string, size int64, leaves [][]byte) error {
	for index := int64(0); index*256 < size; index++ {
		width := size - index*256
		if width > 256 {
			width = 256
		}
		tile := tlog.Tile{H: height, L: -1, N: index, W: int(width)}
		data, err := os.ReadFile(filepath.Join(folder, name(tile)))
		if err != nil {
			return err
		}
		for place := index * 256; place < index*256+width; place++ {
			if len(data) < 2 || len(data) < 2+int(binary.BigEndian.Uint16(data)) {
				return fmt.Errorf("the bundle of leaf %d is cut", place)
			}
			end := 2 + int(binary.BigEndian.Uint16(data))
			if string(data[2:end]) != string(leaves[place]) {
				return fmt.Errorf("the bundle has another leaf %d", place)
			}
			data = data[end:]
		}
		if len(data) > 0 {
			return fmt.Errorf("bundle %d goes on after its leaves", index)
		}
	}
	return nil
}

func check(folder string, asked question) error {
	if asked.What == "log" {
		return checkLog(folder, asked)
	}
	found, err := tree(asked.Vkey, asked.Note)
	if err != nil {
		return err
	}
	if asked.What == "record" {
		proof := tlog.RecordProof(hashes(asked.Hashes))
		return tlog.CheckRecord(proof, found.N, found.Hash, asked.Index, tlog.RecordHash(asked.Leaf))
	}
	proof := tlog.TreeProof(hashes(asked.Hashes))
	return tlog.CheckTree(proof, found.N, found.Hash, asked.Old, hashes([][]byte{asked.Root})[0])
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			fmt.Println(err)
		} else if err := check(os.Args[1], asked); err != nil {
			fmt.Println(strings.ReplaceAll(err.Error(), "\n", " "))
		} else {
			fmt.Println("ok")
		}
	}
}
