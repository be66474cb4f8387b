#pragma once
#include <vector> //= import vector
#include "own.hpp" //= import own.hpp
using std::string; //= import std::string
using namespace std::literals; //= import std::literals

#define LIMIT 3 //= constant LIMIT
constexpr int ANSWER = 42; //= constant ANSWER
int counter; //= variable counter

namespace outer::inner {

class Forward;
template <typename T> //= class Widget +22
class Widget : public Base<T> {
public:
    Widget(); //= method Widget.Widget
    explicit Widget(int x) : x_(x) {} //= method Widget.Widget
    virtual ~Widget() = default; //= method Widget.~Widget
    bool operator==(const Widget &other) const; //= method Widget.operator==
    operator bool() const { return true; } //= method Widget.operator bool
    template <typename U> //= method Widget.as +1
    U as() const { return U(); }
    static int count, total();  //= method Widget.total
    virtual int area() const = 0; //= method Widget.area
    [[nodiscard]] auto size() const -> int { return 1; } //= method Widget.size
    struct Nested { void hidden(); }; //= type Nested
    enum class Level { Low, High }; //= type Level
#ifdef DEBUG
    void dump(); //= method Widget.dump
#endif
private:
    int x_ = 0;
    void (*callback_)(int);
    friend void swap(Widget &a, Widget &b);
};

struct Plain { int x; }; //= type Plain
union Bits { int a; float b; }; //= type Bits
enum class Color : char { Red, Green }; //= type Color
using Names = std::vector<string>; //= type Names
typedef unsigned long size; //= type size
template <typename T> concept Small = sizeof(T) < 4; //= type Small
template <> struct Widget<int> { void only(); }; //= type Widget<int>; method Widget<int>.only

template <typename T> //= method Widget<T>.Widget +1
Widget<T>::Widget() : x_(0) {}
void Plain::run(int a) { //= method Plain.run +2
    auto lambda = [](int x) { return x; };
} // behind
a::b::C::operator int() const { return 0; } //= method a::b::C.operator int

namespace {
const int hidden = 1; //= constant hidden
}

}  // namespace

extern "C" int plain(int a); //= function plain
extern "C" {
int grouped(void); //= function grouped
}
std::string &reference(int a) { return 0; } //= function reference
std::ostream &operator<<(std::ostream &out, int x) { return out; } //= function operator<<
auto modern(int a) -> int { return a; } //= function modern
int main() { return 0; } //= function main
