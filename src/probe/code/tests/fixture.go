// Package p is a fixture.
package p

import "fmt" //= import fmt
import alias "a/b" //= import a/b
import (
	. "dot" //= import dot
	_ "blank" //= import blank
	`raw/path` //= import raw/path

	// A comment in the group.
	renamed "esc\x61ped\u002f\"q\"" //= import escaped/"q"
)
import () // nothing

// A comment that leads.
const A = 1 //= constant A
const B, C = 1, //= constant B +1; constant C +1
	2
const (
	D = iota //= constant D
	E        //= constant E
	_        //= constant _

	F, G = `multi //= constant F +1; constant G +1
line`, 2
)

var H int //= variable H
var I, _ = f() //= variable I; variable _
var ( //
	J = map[string]int{ //= variable J +2
		"a": 1,
	}
	K, L string //= variable K; variable L
)

type M struct { //= type M +3
	field int
	fn    func()
}
type N = M //= type N
type O[T any] = []T //= type O
type (
	P interface { //= type P +3
		Method(a int) error
		~int | ~string
	}
	Q[K comparable, V any] struct { //= type Q +3
		k K
		v V
	}
	R func() //= type R
)

func main() { //= function main +6
	local := 1
	var v int
	const c = 1
	type t int
	func() { fmt.Println(local, v, c) }()
}

func generic[T any, U comparable]( //= function generic +4
	a T,
) (U, error) {
	panic(a)
}

func external(a int) int //= function external

func (m M) Value() int { return 1 } //= method M.Value

func (m *M) Pointer() { //= method *M.Pointer +2

} // trailing

func (*M) unnamed()                    {} //= method *M.unnamed
func (M) alsoUnnamed()                 {} //= method M.alsoUnnamed
func (q * Q[ K , /* gone */ V ]) Get() {} //= method *Q[K,V].Get
func (_ Q[_, _]) Blank()               {} //= method Q[_,_].Blank
func (q (*M)) Parens()                 {} //= method (*M).Parens

func été() {} //= function été
func init() {} //= function init
func init() {} //= function init

// The last comment.
