#ifndef SAMPLE_H
#define SAMPLE_H
#include <stdio.h> //= import stdio.h
#include "dir/own.h" //= import dir/own.h

#ifdef __cplusplus
extern "C" {
#endif

#define LIMIT 10 //= constant LIMIT
#define SQUARE(x) /*//= function SQUARE +1 */ \
    ((x) * (x))

struct forward;
struct point { //= type point +3
    int x, y;
    int (*compare)(int, int);
};
typedef struct node { //= type node +3; type node_t +3
    struct node *next;
    int value;
} node_t;
typedef int (*callback)(int), number; //= type callback; type number
enum color { RED, GREEN }; //= type color
enum { ANONYMOUS };
union bits { int a; float b; } shared; //= type bits; variable shared

int count = 0, *cursor, table[3]; //= variable count; variable cursor; variable table
static const int answer = 42; //= constant answer
const char *name; //= variable name
const char *const fixed = "x"; //= constant fixed
int (*handler)(int); //= variable handler
extern int prototype(int a, //= function prototype +1
    int b);
int *pointer(void), other; //= function pointer; variable other
int (*factory(int a))(int); //= function factory
static int (parenthesized)(void) { return 0; } //= function parenthesized

#if defined(A)
static inline int first(void) //= function first +5
{
    int local = 1;
    struct inner { int x; } value;
    return local;
} // behind
#elif defined(B)
int second(void) { return 2; } //= function second
#else
int third(void) { return 3; } //= function third
#endif

char *größe(const char *text) { return 0; } //= function größe

#ifdef __cplusplus
}
#endif
#endif
